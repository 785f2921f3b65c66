import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asList, asObject, asString, parseObject } from "../src/base/kernel/json.ts";
import type { JsonObject } from "../src/base/words/json.ts";
import { Machine } from "./shipped.ts";

const CONFIG = `agents:
  release:
    actions:
      test: { tool: shell, command: sh test.sh }
      deploy: { tool: shell, command: sh deploy.sh }
    sections: [{ heading: House, content: The dock is gate nine. }]
    policies: [{ sequential: { deploy: [test] } }]
    completion: { files: [out.txt] }
    rules: [{ id: quiet, on: shell, when: 'args.command == "sh loud.sh"', set: { command: sh quiet.sh } }]
`;
const MINE = '{\n  // mine\n  "version": 1,\n  "hooks": { "stop": [{ "command": "mine" }] }\n}\n';

let machine: Machine;
beforeEach(async () => {
  machine = new Machine();
  machine.write({ ".conduct/conduct.yaml": CONFIG, ".cursor/hooks.json": MINE });
  expect(await machine.conduct(["init", "cursor", "--yes"])).toMatchObject({ code: 0 });
});
afterEach(async () => {
  await machine.conduct(["daemon", "stop"]);
  await machine.close();
});

/** The hooks in the account's file without its comment, as Cursor reads it. */
function hooksOf(): JsonObject {
  return asObject(parseObject(machine.read(".cursor/hooks.json").replace("// mine", ""))?.hooks);
}

/** Runs Conduct's command of an event as Cursor does, with the documented input. */
function send(hook_event_name: string, more: JsonObject = {}): JsonObject {
  const event = {
    conversation_id: "5b0d6c1e",
    generation_id: "f2a9c0d4",
    model: "composer-2.5",
    session_id: "5b0d6c1e",
    hook_event_name,
    cursor_version: "2026.09.18-9a7762b",
    workspace_roots: [machine.work],
    user_email: null,
    transcript_path: null,
    ...more,
  };
  const hook = asObject(asList(hooksOf()[hook_event_name]).at(-1));
  const { status, stdout, stderr } = spawnSync("sh", ["-c", asString(hook.command)], {
    cwd: join(machine.root, ".cursor"),
    env: machine.env,
    input: JSON.stringify(event),
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return parseObject(stdout) ?? { unreadable: stdout };
}

const shell = (command: string, id: string) => ({
  tool_name: "Shell",
  tool_input: { command, cwd: "", timeout: 30_000 },
  tool_use_id: id,
  cwd: "",
});
const ask = (command: string, id = command) => send("preToolUse", shell(command, id));
/** A result repeats the command, but not the timeout. */
const end = (command: string, exitCode: number, id = command) =>
  send("postToolUse", {
    ...shell(command, id),
    tool_input: { command, cwd: "" },
    tool_output: JSON.stringify({ output: "x\n", exitCode }),
    duration: 7.5,
  });

describe("conduct init cursor", () => {
  it("WIR-970 the installed hooks deny with the reason, prove by a result, rewrite, and refuse a stop", async () => {
    expect(await machine.conduct(["enforce", "cursor", "--yes"])).toMatchObject({ code: 0 });
    expect(send("sessionStart", { composer_mode: "agent" }).additional_context).toContain("The dock is gate nine.");
    expect(send("beforeSubmitPrompt", { prompt: "go", attachments: [] })).toEqual({ continue: true });
    const denied = ask("sh deploy.sh");
    expect(denied).toMatchObject({ permission: "deny", agent_message: expect.stringContaining("requires: test") });
    expect(denied.user_message).toBe(denied.agent_message);
    expect(send("postToolUseFailure", { ...shell("sh deploy.sh", "d"), failure_type: "permission_denied" })).toEqual(
      {},
    );
    expect(ask("sh test.sh")).toEqual({});
    end("sh test.sh", 0);
    expect(ask("sh deploy.sh", "d2")).toEqual({});
    expect(ask("sh loud.sh")).toEqual({ updated_input: { command: "sh quiet.sh", cwd: "", timeout: 30_000 } });
    const { followup_message: refused } = send("stop", { status: "completed", loop_count: 0 });
    expect(refused).toContain("out.txt");
    expect(send("beforeSubmitPrompt", { prompt: String(refused), attachments: [] })).toEqual({ continue: true });
    machine.write({ "work/out.txt": "x" });
    expect(send("stop", { status: "completed", loop_count: 1 })).toEqual({});
    const why = await machine.conduct(["why"]);
    expect(why.out).toContain("deploy");
  });

  it("WIR-971 in shadow mode nothing is blocked and nothing is added; a missing Conduct stays silent too", async () => {
    expect(send("sessionStart")).toEqual({});
    expect(ask("sh deploy.sh")).toEqual({});
    expect(send("stop", { status: "completed", loop_count: 0 })).toEqual({});
    await machine.conduct(["daemon", "stop"]);
    machine.write({ ".conduct/bin/conduct": "#!/bin/sh\nexit 1\n" });
    expect(ask("sh deploy.sh")).toEqual({});
  });

  it("WIR-972 a Conduct that fails blocks calls and messages, and names the way out", async () => {
    await machine.conduct(["enforce", "cursor", "--yes"]);
    await machine.conduct(["daemon", "stop"]);
    machine.write({ ".conduct/bin/conduct": "#!/bin/sh\nexit 1\n" });
    expect(ask("ls")).toMatchObject({ permission: "deny", agent_message: expect.stringContaining("conduct doctor") });
    expect(send("beforeSubmitPrompt", { prompt: "go" })).toMatchObject({ continue: false });
    expect(send("stop", { status: "completed" })).toEqual({});
  });

  it("WIR-973 doctor runs the installed hook, and undo restores the file", async () => {
    await machine.conduct(["enforce", "cursor", "--yes"]);
    const doctor = await machine.conduct(["doctor", "cursor"]);
    expect(doctor.out).toMatch(/✓ self-test/);
    // Only a person can remove an enforced runtime.
    expect(await machine.atTerminal(["init", "cursor", "--undo", "--yes"])).toMatchObject({ code: 0 });
    expect(machine.read(".cursor/hooks.json")).toBe(MINE);
    expect(existsSync(join(machine.root, ".cursor/mcp.json"))).toBe(false);
  });

  it("WIR-974 an event of Cursor at Claude Code's hooks is left to Cursor's own", async () => {
    await machine.conduct(["init", "claude-code", "--yes"]);
    await machine.conduct(["enforce", "--yes"]);
    ask("ls");
    const { hooks } = parseObject(machine.read(".claude/settings.json")) ?? {};
    const hook = asObject(asList(asObject(asList(asObject(hooks).PreToolUse)[0]).hooks)[0]);
    const post = async (more: JsonObject) => {
      const response = await fetch(asString(hook.url), {
        method: "POST",
        headers: { ...(asObject(hook.headers) as Record<string, string>), "content-type": "application/json" },
        body: JSON.stringify({
          session_id: "5b0d6c1e",
          cwd: machine.work,
          hook_event_name: "PreToolUse",
          tool_name: "Bash",
          tool_input: { command: "sh deploy.sh" },
          tool_use_id: "one",
          ...more,
        }),
      });
      return response.json();
    };
    expect(await post({ cursor_version: "2026.09.18-9a7762b" })).toEqual({});
    expect(JSON.stringify(await post({}))).toContain('"deny"');
  });
});

describe.each(["cursor", "gemini", "opencode"])("the conduct.yaml that `conduct init %s` wrote", (runtime) => {
  it("WIR-975 is the person's to edit: an enforced runtime's daemon neither reports nor reverts a change", async () => {
    const fresh = new Machine();
    try {
      expect(await fresh.conduct(["init", runtime, "--yes"])).toMatchObject({ code: 0 });
      expect(await fresh.conduct(["enforce", runtime, "--yes"])).toMatchObject({ code: 0 });
      await fresh.conduct(["daemon", "start"]);
      const changed = `${fresh.read(".conduct/conduct.yaml")}# mine\n`;
      fresh.write({ ".conduct/conduct.yaml": changed });
      // A repair is made within a second of a change; the status looks by itself.
      for (let at = 0; at < 3; at++) {
        const status = await fresh.conduct(["status"]);
        expect(status.out).toContain("hooks in place");
        expect(status.out).not.toContain("switched off");
      }
      expect(fresh.read(".conduct/conduct.yaml")).toBe(changed);
    } finally {
      await fresh.conduct(["daemon", "stop"]);
      await fresh.close();
    }
  });
});
