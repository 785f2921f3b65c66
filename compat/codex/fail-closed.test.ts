import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SequentialDependencyPolicy } from "../../src/behavior/policy/builtin/sequential-dependency-policy.ts";
import { codexHooksJson } from "../../src/edge/adapters/codex/hooks-json.ts";
import { codexTrustStatus, trustCodexHooks } from "../../src/edge/adapters/codex/trust.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { CODEX, hookCommand, writeHome } from "./codex-run.ts";
import { callHookOnly, given, shell, useCodex } from "./play.ts";

const codex = useCodex();
const release = defineAgent({
  name: "release",
  actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "touch deployed" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
});
const script = [{ calls: [shell("call_1", "touch deployed")] }, { text: "ok" }];

describe("trust: Codex skips an untrusted hook without a word", () => {
  it("the self-test says so, until the operator trusts it and again when hooks.json changes", async () => {
    const { home, workspace } = codex.place;
    const daemon = await codex.start(release);
    const skipped = await codex.run({ script, bypassTrust: false });
    expect(skipped.files.has("deployed")).toBe(true);
    expect(daemon.events).toEqual([]);
    const before = await codexTrustStatus(home, workspace, CODEX);
    expect(before.bound).toBe(false);
    expect(before.faults).toContain("PreToolUse: the hook is not trusted, so Codex skips it silently");

    expect(await trustCodexHooks(home, workspace, CODEX)).toMatchObject({ bound: true, faults: [] });
    expect((await codexTrustStatus(home, workspace, CODEX)).bound).toBe(true);

    await writeFile(join(home, "hooks.json"), codexHooksJson("true"));
    const changed = await codexTrustStatus(home, workspace, CODEX);
    expect(changed.bound).toBe(false);
    expect(changed.faults).toHaveLength(11);
  });

  it("trusted hooks bind without any flag", async () => {
    await codex.start(release);
    const end = await codex.run({ script, bypassTrust: false, trust: true });
    expect(given(end, "call_1")).toContain("Tool 'deploy' requires: test");
    expect(end.files.has("deployed")).toBe(false);
  });

  it("a hook that hooks.json lacks is a fault", async () => {
    const { home, workspace } = codex.place;
    await writeHome(codex.place, "http://127.0.0.1:9/v1", { hooks: callHookOnly("true") });
    const { faults } = await trustCodexHooks(home, workspace, CODEX);
    expect(faults).toHaveLength(10);
    expect(faults[0]).toMatch(/^SessionStart: no hook of Conduct is registered in /);
  });
});

describe("a failure of ours blocks the call", () => {
  it.each([
    ["there is no daemon", () => hookCommand(codex.place.socket), /there is no Conduct daemon: no socket at/],
    ["the hook's program is missing", () => "/nonexistent/conduct", /The Conduct hook did not answer \(exit 127\)/],
    ["the hook crashes", () => "sh -c 'exit 1'", /The Conduct hook did not answer \(exit 1\)/],
  ])("%s", async (_why, command, reason) => {
    const end = await codex.run({ script, hooks: callHookOnly(command()) });
    expect(given(end, "call_1")).toMatch(reason);
    expect(end.files.has("deployed")).toBe(false);
  });

  it("the daemon hangs", async () => {
    const { socket } = codex.place;
    mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
    const deaf = createServer(() => {}).listen(socket);
    const end = await codex.run({ script, hooks: callHookOnly(hookCommand(socket, "CONDUCT_HOOK_MS=700")) });
    deaf.close();
    expect(given(end, "call_1")).toContain("did not answer within 700 ms");
    expect(end.files.has("deployed")).toBe(false);
  });

  it("the hook hangs", async () => {
    const end = await codex.run({ script, hooks: callHookOnly("sleep 60").replaceAll("$t 15", "$t 1") });
    expect(given(end, "call_1")).toContain("The Conduct hook did not answer (exit 124)");
    expect(end.files.has("deployed")).toBe(false);
  });

  it("something throws inside the adapter", async () => {
    await codex.start(release, () => {
      throw new Error("the store is gone");
    });
    const end = await codex.run({ script, hooks: callHookOnly(hookCommand(codex.place.socket)) });
    expect(given(end, "call_1")).toContain("Conduct could not handle PreToolUse: the store is gone");
    expect(end.files.has("deployed")).toBe(false);
  });

  it("without a daemon even the message is held back", async () => {
    const end = await codex.run({ script });
    expect(end.server.requests).toHaveLength(0);
  });

  it("a daemon that goes away during the turn: calls are blocked, the stop is let pass", async () => {
    const daemon = await codex.start(release);
    const gone = async () => {
      await daemon.close();
      return { calls: [shell("call_2", "touch late")] };
    };
    const end = await codex.run({ script: [{ calls: [shell("call_1", "echo hi")] }, gone, { text: "ok" }] });
    expect(given(end, "call_2")).toMatch(/Conduct: .*; the call is blocked/);
    expect(end.files.has("late")).toBe(false);
    expect(end.server.requests).toHaveLength(3);
    expect(end.exitCode).toBe(0);
  });
});
