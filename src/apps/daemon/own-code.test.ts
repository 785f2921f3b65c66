import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ensureDaemon } from "../../edge/host/daemon/daemon-client.ts";
import { conductVersion } from "../../edge/host/node/package-files.ts";
import { daemonStatus } from "../cli/commands/daemon/daemon.ts";
import { paintFor } from "../cli/line/terminal.ts";
import { OwnCode } from "./own-code.ts";
import { useDaemons } from "./test/test-daemon.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "conduct-code-"));
  mkdirSync(join(folder, "src", "apps"), { recursive: true });
  for (const [name, text] of [
    ["package.json", "{}"],
    ["src/index.ts", "export {};"],
    ["src/apps/main.ts", "export const a = 1;"],
    ["src/apps/main.test.ts", "a test"],
    ["src/apps/notes.md", "notes"],
  ] as const)
    put(name, text);
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const put = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** One that has looked once; all that stood there was there before it began. */
async function started(since = Date.now() + 60_000): Promise<OwnCode> {
  const code = new OwnCode({ folder, since });
  await code.look(0);
  return code;
}

describe("a process's own code", () => {
  it.each<readonly [string, boolean, () => void]>([
    ["nothing", false, () => undefined],
    ["a file says something else", true, () => put("src/apps/main.ts", "export const a = 2;")],
    ["a file is new", true, () => put("src/apps/more.ts", "")],
    ["a file is gone", true, () => rmSync(join(folder, "src", "index.ts"))],
    ["a file has another name", true, () => renameSync(join(folder, "src/index.ts"), join(folder, "src/other.ts"))],
    [
      "other packages are installed",
      true,
      () => {
        mkdirSync(join(folder, "node_modules"));
        put("node_modules/.package-lock.json", "{}");
      },
    ],
    [
      "a file says something else and has its old time",
      true,
      () => {
        put("src/apps/main.ts", "export const a = 2;");
        utimesSync(join(folder, "src/apps/main.ts"), 0, 0);
      },
    ],
    ["a file is written anew and says the same", false, () => put("src/apps/main.ts", "export const a = 1;")],
    ["a file is touched", false, () => utimesSync(join(folder, "src/apps/main.ts"), 1, 1)],
    ["a test is another", false, () => put("src/apps/main.test.ts", "another test")],
    ["a text is another", false, () => put("src/apps/notes.md", "other notes")],
    ["a link leads nowhere", false, () => symlinkSync("nowhere", join(folder, "src", "link"))],
  ])("OWN-1 a process detects changes of its own code: %s, old: %s", async (_, isOld, change) => {
    const code = await started();
    expect(code.isOld).toBe(false);
    change();
    await code.look(0);
    expect(code.isOld).toBe(isOld);
  });

  it("OWN-2 changes during loading count as changed code; file times in the future do not", async () => {
    expect((await started(Date.now() - 60_000)).isOld).toBe(true);
    expect((await started(Date.now() + 60_000)).isOld).toBe(false);
  });

  it("OWN-3 changed code stays marked as old, and unreadable files count as unchanged", async () => {
    const code = await started();
    put("src/index.ts", "changed");
    await code.look(0);
    put("src/index.ts", "export {};");
    await code.look(0);
    expect(code.isOld).toBe(true);
    const other = await started();
    rmSync(folder, { recursive: true });
    await other.look(0);
    expect(other.isOld).toBe(false);
  });

  it("OWN-4 concurrent code checks share one check, and a fresh result is reused", async () => {
    const code = new OwnCode({ folder, since: Date.now() + 60_000 });
    expect(code.isKnown).toBe(false);
    await Promise.all([code.look(60_000), code.look(60_000)]);
    expect(code.isKnown).toBe(true);
    put("src/index.ts", "changed");
    await code.look(60_000);
    expect(code.isOld).toBe(false);
    await code.look(0);
    expect(code.isOld).toBe(true);
  });
});

describe("a daemon whose code has changed", () => {
  const { start, send, place } = useDaemons();
  const old = { isOld: true, isKnown: true, look: async () => undefined };
  const busyFor = { idleMs: 60_000 };

  it("DMN-50 a daemon looks at its code, and ends after a change when no request is running, and logs why", async () => {
    const code = { ...old, isOld: false };
    code.look = async () => {
      code.isOld = true;
    };
    const daemon = await start({ ...busyFor, lookMs: 20, code });
    expect(await daemon.ended).toBe("its code has changed since it was started");
  });

  it("DMN-51 a daemon with changed code reports another version, checks when asked, and gives way like another version", async () => {
    let isOld = false;
    const code = {
      isKnown: true,
      get isOld() {
        return isOld;
      },
      look: async () => undefined,
    };
    const daemon = await start({ ...busyFor, lookMs: 60_000, code });
    expect(await send({ daemon: "hello" })).toMatchObject({ version: conductVersion() });
    code.look = async () => {
      isOld = true;
    };
    expect(await send({ daemon: "hello" })).toMatchObject({ version: `${conductVersion()}+old` });
    const { pid, version } = await ensureDaemon(place.home);
    expect(await daemon.ended).toBe("another version takes over");
    expect([version, pid === process.pid]).toEqual([conductVersion(), false]);
    expect(await send({ daemon: "stop" })).toEqual({ ends: true });
  });

  it("DMN-52 conduct daemon status reports a daemon with changed code", async () => {
    vi.stubEnv("CONDUCT_HOME", place.home);
    await start({ ...busyFor, lookMs: 60_000, code: old });
    const told = await daemonStatus({}, { paint: paintFor(false) } as Parameters<typeof daemonStatus>[1]);
    vi.unstubAllEnvs();
    expect(told).toMatchObject({
      text: expect.stringContaining("version   older than this Conduct"),
    });
  });
});
