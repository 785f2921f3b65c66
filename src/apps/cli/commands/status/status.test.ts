import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writePause } from "../../../../edge/host/daemon/paused.ts";
import { writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { openSqlStore } from "../../../../edge/stores/sql/open-sql-store.ts";
import { sampleCall, sampleDenial, sampleEvent } from "../../../../edge/stores/test/events-samples.ts";
import { activeSessions } from "../../../../engine/journal/active-sessions.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { status } from "./status.ts";

const NOW = Date.UTC(2026, 10, 15, 14, 2, 0);
let [base, home, work] = ["", "", ""];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "conduct-status-")));
  [home, work] = [join(base, "home"), join(base, "work")];
  for (const folder of [home, work, join(base, "bin")]) mkdirSync(folder, { mode: 0o700 });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function run(keys = join(base, "keys")) {
  const env = { PATH: join(base, "bin"), CONDUCT_KEYS: keys };
  const before = process.env.CONDUCT_KEYS;
  process.env.CONDUCT_KEYS = keys;
  try {
    const world = { env, home, now: () => NOW, zone: "UTC" };
    const outcome = await status({}, testTerminal({ cwd: work, columns: 80 }), world);
    if (!outcome.ok) throw new Error(outcome.message);
    for (const line of outcome.text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    return { text: outcome.text.replaceAll(base, "/b"), result: JSON.parse(JSON.stringify(outcome.result)) };
  } finally {
    if (before === undefined) delete process.env.CONDUCT_KEYS;
    else process.env.CONDUCT_KEYS = before;
  }
}

const bound = (enforcement: "enforce" | "shadow") => ({ enforcement, operator: false, since: "" });

describe("conduct status", () => {
  it("STS-2 status says which runtimes are enforced, watched, or installed and not set up", async () => {
    await writeRuntime(home, "claude-code", bound("enforce"));
    await writeRuntime(home, "codex", bound("shadow"));
    // Removed again: its entry stays for the sessions that still run.
    await writeRuntime(home, "pi", bound("shadow"));
    for (const set of ["claude-code", "codex"]) mkdirSync(join(home, "init", set), { recursive: true });
    for (const program of ["codex", "opencode"]) {
      writeFileSync(join(base, "bin", program), "#!/bin/sh\n");
      chmodSync(join(base, "bin", program), 0o755);
    }
    const { text, result } = await run();
    expect(text).toContain("  runtimes   claude-code · enforced\n             codex · watched, blocks nothing\n");
    expect(text).not.toContain("pi ·");
    expect(text).toContain("             opencode · installed, not set up: conduct init opencode\n");
    expect(result.installation.found).toEqual(["codex", "opencode"]);
  });

  it("STS-3 during a pause an enforced runtime is paused", async () => {
    await writeRuntime(home, "codex", bound("enforce"));
    mkdirSync(join(home, "init", "codex"), { recursive: true });
    writePause(home, { at: NOW, until: NOW + 60_000, by: "ann", proof: "typed a code" });
    expect((await run()).text).toContain("codex · paused\n");
  });

  it("STS-4 status names a running gateway with its address, and no gateway whose process is gone", async () => {
    const running = {
      id: "x",
      host: hostname(),
      pid: process.pid,
      since: 1,
      store: "s",
      local: "l",
      url: "http://127.0.0.1:4870",
    };
    mkdirSync(join(home, "run"));
    const write = (pid: number) =>
      writeFileSync(join(home, "run/gateway.json"), JSON.stringify({ ...running, pid }), { mode: 0o600 });
    write(process.pid);
    expect((await run()).text).toContain(`  gateway    http://127.0.0.1:4870 · process ${process.pid}\n`);
    write(2 ** 22 + 1);
    expect((await run()).result.installation.gateway).toBeNull();
  });

  it("STS-5 status reports a missing content key and a broken conduct.yaml with its line", async () => {
    process.env.CONDUCT_KEYS = join(base, "keys");
    const store = await openSqlStore({ kind: "sqlite", file: join(home, "conduct.db") });
    await store.events.append([sampleEvent(sampleCall(sampleDenial("d_1")))]);
    await store.close();
    delete process.env.CONDUCT_KEYS;
    expect((await run()).text).not.toContain("  key  ");
    writeFileSync(join(home, "conduct.yaml"), "agents:\n  a: { polices: [] }\n");
    const { text } = await run(join(base, "other-keys"));
    expect(text).toMatch(/ {2}key {8}✗ /);
    expect(text.replace(/\n\s+/g, " ")).toContain("every call is denied: /b/home/conduct.yaml:2 unknown key 'polices'");
  });

  it("STS-6 a session whose runtime has exited is not active, until the next message", async () => {
    const store = await openSqlStore({ kind: "sqlite", file: join(home, "conduct.db") });
    const event = (body: Parameters<typeof sampleEvent>[0], at: number) =>
      sampleEvent(body, { session: "s_1", id: `e_${at}`, at: NOW + at });
    const active = async () => (await activeSessions(store.events, NOW)).length;
    const message = { type: "message", text: "go", modes: { think: false, verbose: false, elevated: false } } as const;
    await store.events.append([event({ type: "session", change: "opened" }, 1), event(message, 2)]);
    expect(await active()).toBe(1);
    await store.events.append([event({ type: "notice", notice: { kind: "left" } }, 3)]);
    expect(await active()).toBe(0);
    await store.events.append([event(message, 4)]);
    expect(await active()).toBe(1);
    await store.close();
  });
});
