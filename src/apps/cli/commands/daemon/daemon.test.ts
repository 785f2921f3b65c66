import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { writePause } from "../../../../edge/host/daemon/paused.ts";
import { startDaemon } from "../../../daemon/daemon.ts";
import { runCommandLine } from "../../line/run-command-line.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { runStop } from "./daemon.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "conduct-daemon-cli-"));
  vi.stubEnv("CONDUCT_HOME", home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

async function conduct(line: string) {
  const terminal = testTerminal();
  const code = await runCommandLine(line.split(" "), terminal);
  return { code, said: terminal.said(), complained: terminal.complained() };
}

describe("conduct daemon", () => {
  it("DMN-40 status shows whether the daemon runs, where it listens and whether it is paused", async () => {
    expect(await conduct("daemon status")).toMatchObject({ code: 0, said: expect.stringContaining("is not running") });
    const daemon = await startDaemon({ home });
    const now = Date.now();
    writePause(home, { at: now, until: now + 60_000, by: "cli:ann", proof: "test" });
    const { said } = await conduct("daemon status");
    expect(said).toContain(`process ${process.pid}`);
    expect(said).toContain(daemonPlace(home).socket);
    expect(said).toContain(`127.0.0.1:${daemon.hello().port}`);
    expect(said).toContain("by cli:ann");
    await daemon.end("over");
  });

  it("DMN-41 stop ends the daemon, and says so if none runs", async () => {
    const daemon = await startDaemon({ home });
    expect(await runStop(home, undefined)).toMatchObject({ ok: true, result: { ended: process.pid } });
    expect(await daemon.ended).toBe("a stop was requested");
    expect(await runStop(home, undefined)).toMatchObject({ ok: true, text: expect.stringContaining("is not running") });
  });

  it("DMN-42 an agent cannot stop the daemon", async () => {
    vi.stubEnv("CODEX_SANDBOX", "seatbelt");
    const daemon = await startDaemon({ home });
    expect(await conduct("daemon stop")).toMatchObject({
      code: 1,
      complained: expect.stringContaining("INSIDE_AGENT"),
    });
    expect((await conduct("daemon status")).said).toContain("The daemon is running");
    await daemon.end("over");
  });

  it("DMN-43 a file in place of the socket is reported and not touched", async () => {
    const { socket } = daemonPlace(home);
    const daemon = await startDaemon({ home });
    await daemon.end("over");
    writeFileSync(socket, "mine");
    expect(await conduct("daemon status")).toMatchObject({
      code: 1,
      complained: expect.stringContaining("is not a socket"),
    });
    expect(await conduct("daemon run")).toMatchObject({
      code: 1,
      complained: expect.stringContaining("is not a socket"),
    });
    expect(existsSync(socket)).toBe(true);
  });

  it("DMN-44 a second daemon exits in favour of the first, and an invalid --idle time is rejected", async () => {
    const daemon = await startDaemon({ home });
    expect(await conduct("daemon run")).toMatchObject({ code: 0, complained: "" });
    expect(await conduct("daemon run --idle=soon")).toMatchObject({ code: 2 });
    await daemon.end("over");
  });
});
