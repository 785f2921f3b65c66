import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { copilotDialect } from "./dialect.ts";
import { copilotHooksFile } from "./hooks-file.ts";
import { mapTool, mcpOf, toolName } from "./tool-map.ts";

const AT = { sessionId: "s", cwd: "/w", timestamp: 1_795_007_850_222 };
const read = (conduct_event: string, more: object) => copilotDialect.read({ ...AT, conduct_event, ...more });
const bash = (textResultForLlm: string) =>
  read("postToolUse", {
    toolName: "bash",
    toolArgs: { command: "x" },
    toolResult: { resultType: "success", textResultForLlm },
  });

describe("copilotDialect", () => {
  it.each([
    ["hi\n<shellId: 0 completed with exit code 0>", { outcome: "ok", exitCode: 0 }],
    ["hi\n<shellId: 0 completed with exit code 3>", { outcome: "failed", exitCode: 3 }],
    ["<shellId: 0 completed with exit code 0>\n<shellId: 0 completed with exit code 3>", { outcome: "failed" }],
    ["still running", { outcome: "unknown" }],
  ])("CPD-1 the outcome of a command that ends with %j", (text, result) => {
    expect(bash(text)).toMatchObject({ kind: "result", at: AT.timestamp, result });
  });

  it("CPD-2 a failure cannot be replaced, and a subagent's event names its parent", () => {
    const failed = read("postToolUseFailure", { toolName: "view", toolArgs: {}, error: "Path does not exist" });
    expect(failed).toMatchObject({ kind: "result", replaceable: false, result: { outcome: "failed" } });
    expect(read("agentStop", { sessionId: "c", agentId: "c", parentAgentId: "s" })).toMatchObject({
      session: "c",
      root: "s",
    });
    expect(read("subagentStart", { agentId: "c", parentAgentId: "s" })).toMatchObject({ session: "s", root: "s" });
  });

  it.each([
    ["preToolUse", { permissionDecision: "deny" }],
    ["userPromptSubmitted", { decision: "block" }],
    ["postToolUse", { modifiedResult: { resultType: "failure" } }],
    ["agentStop", {}],
  ])("CPD-3 a failure of Conduct at %s", (conduct_event, answer) => {
    expect(copilotDialect.failure({ conduct_event }, "it broke")).toMatchObject(answer);
  });

  it("CPD-4 an allowed call grants nothing, so Copilot CLI still asks its person", () => {
    const event = read("preToolUse", { toolName: "bash", toolArgs: { command: "x" } });
    if ("fault" in event) throw new Error(event.fault);
    expect(copilotDialect.answer(event, { kind: "pass" })).toEqual({});
    expect(copilotDialect.answer(event, { kind: "pass", input: { command: "y" } })).toEqual({
      modifiedArgs: { command: "y" },
    });
  });

  it("CPD-5 tools have Conduct's names; a patch lists its files", () => {
    const map = (name: string, input: object) => mapTool({ name, input: { ...input }, mcp: mcpOf(name) }, "/w");
    expect(map("create", { path: "/w/a", file_text: "x" })).toMatchObject({
      tool: "write_file",
      args: { path: "/w/a", content: "x" },
    });
    const input = "*** Begin Patch\n*** Update File: b\n@@\n-1\n+2\n*** End Patch";
    expect(map("apply_patch", { input })).toMatchObject({
      tool: "edit_file",
      paths: [{ path: "/w/b", access: "write" }],
    });
    expect(map("files-look", {})).toMatchObject({ tool: "files/look" });
    expect(map("github-mcp-server-get_me", {})).toMatchObject({ tool: "github-mcp-server/get_me" });
    expect(map("conduct-save_memory", {})).toMatchObject({ tool: "save_memory" });
    expect(map("sql", { query: "x" })).toMatchObject({ tool: "copilot/sql" });
    expect(toolName("read_result")).toBe("conduct-read_result");
  });

  it.each([
    ["preToolUse", "permissionDecision"],
    ["userPromptSubmitted", "decision"],
    ["postToolUse", "modifiedResult"],
  ])("CPD-6 the command at %s prints a refusal if Conduct is missing", (event, key) => {
    const { hooks } = JSON.parse(copilotHooksFile("/nowhere/conduct hook copilot"));
    const { status, stdout } = spawnSync("sh", ["-c", hooks[event][0].bash], { input: "{}", encoding: "utf8" });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty(key);
    expect(stdout).toContain("The Conduct hook did not answer");
  });
});
