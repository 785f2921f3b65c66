import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { asList, asObject, asString } from "../../../base/kernel/json.ts";
import { cursorDialect } from "./dialect.ts";
import { cursorHooks } from "./hooks-file.ts";
import { mapTool, mcpOf, toolName } from "./tool-map.ts";

const AT = { conversation_id: "s", generation_id: "g", cursor_version: "2026.09.18-9a7762b", workspace_roots: ["/w"] };
const read = (hook_event_name: string, more: object = {}) => cursorDialect.read({ ...AT, hook_event_name, ...more });
const shell = { tool_name: "Shell", tool_input: { command: "npm test", cwd: "" }, tool_use_id: "a\nb", cwd: "" };

/** All event names of Cursor's documentation. One other name makes it reject the whole file. */
const KNOWN =
  /^(?:(?:before|after)(?:ShellExecution|MCPExecution)|beforeReadFile|afterFileEdit|beforeTabFileRead|afterTabFileEdit|stop|beforeSubmitPrompt|afterAgentResponse|afterAgentThought|sessionStart|sessionEnd|preCompact|subagentStart|subagentStop|preToolUse|postToolUse|postToolUseFailure|workspaceOpen)$/;

describe("cursorDialect", () => {
  it.each([
    [
      { output: "ok\n", exitCode: 0 },
      { outcome: "ok", exitCode: 0 },
    ],
    [
      { output: "no\n", exitCode: 1 },
      { outcome: "failed", exitCode: 1 },
    ],
    [{ output: "in the background" }, { outcome: "unknown" }],
  ])("CUR-1 the outcome of a command whose output is %j", (output, result) => {
    const event = read("postToolUse", { ...shell, tool_output: JSON.stringify(output) });
    expect(event).toMatchObject({ kind: "result", use: { id: "a_b" }, replaceable: false, result });
  });

  it("CUR-2 a failed call is a result, a call that was denied is none, and only a finished turn is checked", () => {
    const failed = { ...shell, error_message: "Command failed with exit code 3" };
    expect(read("postToolUseFailure", { ...failed, failure_type: "error" })).toMatchObject({
      kind: "result",
      result: { outcome: "failed" },
    });
    expect(read("postToolUseFailure", { ...failed, failure_type: "permission_denied" })).toMatchObject({
      kind: "other",
    });
    expect(read("stop", { status: "completed" })).toMatchObject({ kind: "stop" });
    expect(read("stop", { status: "aborted" })).toMatchObject({ kind: "other" });
  });

  it.each([
    ["preToolUse", { permission: "deny" }],
    ["beforeSubmitPrompt", { continue: false }],
    ["postToolUse", { additional_context: expect.stringContaining("not checked") }],
    ["stop", {}],
  ])("CUR-3 a failure of Conduct at %s", (hook_event_name, answer) => {
    expect(cursorDialect.failure({ hook_event_name }, "it broke")).toMatchObject(answer);
  });

  it("CUR-4 an allowed call grants nothing, and a denial reaches the model whichever text Cursor sends", () => {
    const event = read("preToolUse", shell);
    if ("fault" in event) throw new Error(event.fault);
    expect(cursorDialect.answer(event, { kind: "pass" })).toEqual({});
    expect(cursorDialect.answer(event, { kind: "pass", input: { command: "x" } })).toEqual({
      updated_input: { command: "x" },
    });
    expect(cursorDialect.answer(event, { kind: "refuse", why: "no" })).toEqual({
      permission: "deny",
      user_message: "no",
      agent_message: "no",
    });
  });

  it("CUR-5 tools have Conduct's names, whichever of their argument names Cursor uses", () => {
    const map = (name: string, input: object) => mapTool({ name, input: { ...input }, mcp: mcpOf(name) }, "/w");
    for (const input of [
      { file_path: "a", content: "x" },
      { path: "a", contents: "x" },
    ])
      expect(map("Write", input)).toEqual({
        tool: "write_file",
        args: { path: "a", content: "x" },
        paths: [{ path: "/w/a", access: "write" }],
      });
    expect(map("Delete", { path: "/w/a" })).toMatchObject({ tool: "edit_file", paths: [{ access: "write" }] });
    expect(map("Shell", { command: "ls" })).toMatchObject({ tool: "shell", cwd: "/w" });
    expect(map("MCP:look", {})).toMatchObject({ tool: "mcp/look" });
    expect(map("MCP:files:look", {})).toMatchObject({ tool: "files/look" });
    // Any server can have a tool of this name, so it is not Conduct's own.
    expect(map("MCP:read_result", {})).toMatchObject({ tool: "mcp/read_result" });
    expect(map("TodoWrite", {})).toMatchObject({ tool: "cursor/TodoWrite" });
    expect(toolName("shell")).toBe("Shell");
  });

  it("CUR-6 the file names only events that Cursor knows, and no text that Cursor would take for a comment", () => {
    const hooks = cursorHooks("'/nowhere/conduct' hook cursor", "false");
    for (const event of Object.keys(hooks)) expect(event).toMatch(KNOWN);
    expect(JSON.stringify(hooks)).not.toContain("//");
    expect(asObject(asList(hooks.preToolUse)[0]).failClosed).toBe(true);
    expect(asObject(asList(hooks.beforeSubmitPrompt)[0]).failClosed).toBe(true);
  });

  it.each([
    ["preToolUse", "false", { permission: "deny" }],
    ["beforeSubmitPrompt", "false", { continue: false }],
    ["stop", "false", {}],
    ["preToolUse", "true", {}],
  ])("CUR-7 the command at %s prints an answer if Conduct is missing, with shadow mode %s", (event, shadow, answer) => {
    const hooks = cursorHooks("/nowhere/conduct hook cursor", shadow);
    const { status, stdout } = run(hooks, event);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject(answer);
  });

  it("CUR-8 a command that prints nothing still answers, because Cursor takes silence for a failure", () => {
    expect(run(cursorHooks("true"), "preToolUse").stdout).toBe("{}");
  });

  it("CUR-9 an event without a conversation or a folder blocks", () => {
    expect(cursorDialect.read({ hook_event_name: "preToolUse", workspace_roots: ["/w"] })).toHaveProperty("fault");
    expect(read("preToolUse", { ...shell, workspace_roots: [] })).toHaveProperty("fault");
    expect(read("preToolUse", { tool_input: {} })).toHaveProperty("fault");
  });
});

function run(hooks: ReturnType<typeof cursorHooks>, event: string) {
  const { command } = asObject(asList(hooks[event])[0]);
  return spawnSync("sh", ["-c", asString(command)], { input: "{}", encoding: "utf8" });
}
