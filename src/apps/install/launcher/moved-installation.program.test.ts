import { rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { copiedInstallation } from "./test/test-installation.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const CODEX = ".codex/hooks.json";
const CLAUDE = ".claude/settings.json";
const call = { hook_event_name: "PreToolUse", tool_use_id: "c1", tool_name: "Bash", tool_input: { command: "ls" } };
const BLOCKING = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart", "Stop"];

let at: ReturnType<typeof copiedInstallation>;
let hanging: Server | undefined;
afterEach(() => void hanging?.close());
const only = (file: string, event: string) => at.hooks(file, event).find(({ command }) => command !== undefined) ?? {};
const warnings = (texts: readonly string[]) => texts.filter((text) => text !== "").map((text) => JSON.parse(text));

beforeAll(() => {
  at = copiedInstallation();
  for (const runtime of ["codex", "claude-code"]) {
    const { status, stderr } = at.conduct("init", runtime, "--yes");
    expect(status, stderr).toBe(0);
  }
  at.conduct("daemon", "stop");
}, PATIENT);
afterAll(() => {
  at.conduct("daemon", "stop");
  at.remove();
});

describe("an installation that is moved away", { timeout: PATIENT }, () => {
  it("MOV-1 with the installation in place the hooks decide through a launcher, and settings name no checkout and no Node", () => {
    const hook = only(CODEX, "PreToolUse");
    expect(JSON.stringify([hook, only(CLAUDE, "SessionStart")])).not.toMatch(/conduct\.mjs|node_modules/);
    expect(at.runHook(hook, call)).toMatchObject({ status: 0, stderr: "" });
    expect(at.conduct("watch", "--once").stdout).toContain("ls");
  });

  it("MOV-3 if the installation is moved in shadow mode, every call passes and each runtime warns once", () => {
    at.conduct("daemon", "stop");
    at.move("moved");
    const codex = [call, call, { hook_event_name: "UserPromptSubmit" }, { hook_event_name: "Stop" }].map((event) =>
      at.runHook(only(CODEX, event.hook_event_name), event),
    );
    for (const one of codex) expect(one).toMatchObject({ status: 0, stderr: "" });
    const claude = ["SessionStart", "UserPromptSubmit", "UserPromptSubmit"].map((event) =>
      at.runHook(only(CLAUDE, event), { hook_event_name: event }),
    );
    for (const one of claude) expect(one).toMatchObject({ status: 0, stderr: "" });
    for (const [runtime, ran] of [
      ["codex", codex],
      ["claude-code", claude],
    ] as const) {
      expect(warnings(ran.map(({ stdout }) => stdout))).toEqual([
        { systemMessage: expect.stringMatching(`not where it was installed.*run: conduct init ${runtime}`) },
      ]);
    }
  });

  it("MOV-4 a new init from the new location restores the decisions without a change of settings", () => {
    const before = JSON.stringify(only(CODEX, "PreToolUse"));
    const again = at.conduct("init", "codex", "--yes");
    expect(again.stdout).toContain("its settings now start this Conduct");
    expect(JSON.stringify(only(CODEX, "PreToolUse"))).toBe(before);
    expect(at.runHook(only(CODEX, "PreToolUse"), { ...call, tool_use_id: "c2" })).toMatchObject({ status: 0 });
    expect(at.conduct("daemon", "status").stdout).toContain("The daemon is running");
  });

  it("MOV-6 in shadow mode a hanging daemon blocks nothing and is reported once", async () => {
    at.conduct("daemon", "stop");
    rmSync(join(at.home, "bin/.warned-codex"), { force: true });
    const socket = join(at.home, "run/daemon.sock");
    rmSync(socket, { force: true });
    hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging?.listen(socket, resolve));
    const ran = ["PreToolUse", "PostToolUse"].map((event) =>
      at.runHook(only(CODEX, event), { ...call, hook_event_name: event }),
    );
    for (const one of ran) expect(one).toMatchObject({ status: 0, stderr: "" });
    hanging.close();
    expect(warnings(ran.map(({ stdout }) => stdout))).toEqual([
      { systemMessage: expect.stringMatching(/only watches codex.*daemon did not answer|daemon said nothing/) },
    ]);
  });

  it("MOV-2 mode changes reach the settings: hooks block on failure only if they are enforced", () => {
    const failing = () => BLOCKING.flatMap((event) => at.hooks(CLAUDE, event).flatMap((hook) => hook.onFailure ?? []));
    expect(new Set(failing())).toEqual(new Set(["continue"]));
    expect(at.conduct("enforce", "claude-code", "--yes")).toMatchObject({ status: 0 });
    expect(new Set(failing())).toEqual(new Set(["block"]));
    // Back to watching takes a person: see switched-off.program.test.ts.
    expect(at.conduct("enforce", "claude-code", "--shadow", "--yes").status).toBe(1);
    expect(at.conduct("doctor", "claude-code").stdout).toContain("✓ settings");
  });

  it("MOV-5 if enforced, a missing installation blocks calls and messages with one sentence, but no stop", () => {
    for (const runtime of ["codex", "claude-code"]) at.conduct("enforce", runtime, "--yes");
    at.conduct("daemon", "stop");
    at.move("moved-again");
    const blocked = at.runHook(only(CODEX, "PreToolUse"), call);
    expect(blocked).toMatchObject({ status: 2, stdout: "" });
    expect(blocked.stderr.trim().split("\n")).toEqual([
      expect.stringMatching(
        /^Conduct is not where it was installed \(.*\)\. Everything is blocked because codex is enforced\. .*run: conduct init codex/,
      ),
    ]);
    expect(at.runHook(only(CODEX, "Stop"), { hook_event_name: "Stop" }).status).toBe(1);
    const message = at.runHook(only(CLAUDE, "UserPromptSubmit"), { hook_event_name: "UserPromptSubmit" });
    expect(message).toMatchObject({ status: 2, stdout: "" });
    expect(message.stderr).toContain("Everything is blocked because claude-code is enforced");
  });
});
