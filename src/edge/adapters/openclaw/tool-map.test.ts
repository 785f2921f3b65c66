import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { rewriteInput } from "../shared/tool-args.ts";
import { recorded } from "./test/recorded.ts";
import { carriersOf, mapTool, nativeToolName, type Place } from "./tool-map.ts";
import { callInputOf } from "./translate.ts";

const place: Place = { cwd: "/work/s0", own: new Set(["read_result"]) };
const call = (toolName: string, params: Record<string, unknown>, toolKind?: string) =>
  mapTool({ toolName, params, ...(toolKind === undefined ? {} : { toolKind }) }, place);

describe("the tool map", () => {
  it.each([
    ["before_tool_call-exec", { tool: "shell", args: { command: "echo hi; exit 3" } }],
    ["before_tool_call-read", { tool: "read_file", paths: [{ path: "a.txt", access: "read" }] }],
    ["before_tool_call-mcp", { tool: "demo/echo", args: { text: "hi" } }],
    ["before_tool_call-spawn", { tool: "task", args: { prompt: "CHILD-TASK do it" } }],
  ])("OCL-1 the recorded %s maps to a call of the common vocabulary", (name, wanted) => {
    expect(mapTool(recorded(name).event, place)).toMatchObject(wanted);
  });

  it.each([
    ["write", { path: "a", content: "x" }, "write_file", [{ path: "a", access: "write" }]],
    ["edit", { path: "a", edits: [] }, "edit_file", [{ path: "a", access: "write" }]],
    ["ls", {}, "openclaw/ls", [{ path: ".", access: "read" }]],
    [
      "read",
      { path: "@a" },
      "read_file",
      [
        { path: "a", access: "read" },
        { path: "@a", access: "read" },
      ],
    ],
    [
      "read",
      { path: "file:///etc/x%20y" },
      "read_file",
      [
        { path: "/etc/x y", access: "read" },
        { path: "file:///etc/x%20y", access: "read" },
      ],
    ],
  ])("OCL-2 %s %j maps to %s with the paths %j", (name, params, tool, paths) => {
    expect(call(name, params)).toMatchObject({ tool, paths });
  });

  it("OCL-3 a patch is one call with all its paths, and a patch that only adds files is a write", () => {
    const add = "*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch\n";
    expect(call("apply_patch", { input: add })).toMatchObject({ tool: "write_file", args: { path: "new.txt" } });
    const both =
      "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Add File: b\n+x\n*** Delete File: c\n*** End Patch\n";
    expect(call("apply_patch", { input: both })).toMatchObject({
      tool: "edit_file",
      actions: ["write_file"],
      paths: [{ path: "a" }, { path: "b" }, { path: "c" }],
    });
  });

  it.each([
    [{ command: "make", workdir: "sub" }, { cwd: "/work/s0/sub" }],
    [{ command: "make", workdir: "" }, {}],
    [{ command: "make", env: { PATH: "/evil" } }, { proves: [] }],
    [{ command: "make", host: "node" }, { proves: [] }],
  ])("OCL-4 a command %j runs with %j", (params, wanted) => {
    const { tool, args: _args, ...more } = call("exec", params);
    expect(tool).toBe("shell");
    expect(more).toEqual(wanted);
  });

  it("OCL-5 the model's description of a command is not part of the call", () => {
    expect(call("exec", { command: "ls", title: "harmless" }).args).toEqual({ command: "ls" });
  });

  it.each([
    ["gateway", undefined, "openclaw/gateway"],
    ["exec", "code_mode_exec", "openclaw/code_mode_exec"],
    ["read_result", undefined, "read_result"],
    ["my_server__do__it", undefined, "my_server/do__it"],
    ["exec", undefined, "openclaw/exec"],
  ])("OCL-6 %s of kind %s with unknown arguments maps to %s", (name, kind, tool) => {
    expect(call(name, { code: "1" }, kind).tool).toBe(tool);
  });

  it("OCL-7 the prompt uses OpenClaw's tool names", () => {
    expect(["shell", "read_file", "task", "read_result"].map(nativeToolName)).toEqual([
      "exec",
      "read",
      "sessions_spawn",
      "read_result",
    ]);
  });

  it.each([
    ["exec", { command: "a", timeoutSeconds: 3 }, { command: "b" }, { command: "b", timeoutSeconds: 3 }],
    ["exec", { command: "a" }, { timeout: 9 }, { command: "a", timeoutSeconds: 9 }],
    ["sessions_spawn", { task: "a" }, { prompt: "b" }, { task: "b" }],
    ["demo__echo", { text: "a" }, { text: "b" }, { text: "b" }],
  ])("OCL-8 the call %s %j rewritten by %j runs as %j", (toolName, params, change, runs) => {
    const event = { toolName, params, toolCallId: "c" };
    const made = callInputOf(event, "s", place);
    const after = { ...made.args, ...change } as JsonObject;
    expect(rewriteInput(params as JsonObject, made.args, after, carriersOf(event))).toEqual({ input: runs });
  });

  it("OCL-9 a rewritten argument that OpenClaw does not have is reported, not dropped", () => {
    const event = { toolName: "sessions_spawn", params: { task: "a" }, toolCallId: "c" };
    const made = callInputOf(event, undefined, place);
    const after = { ...made.args, budget: 3 };
    expect(rewriteInput(event.params, made.args, after, carriersOf(event))).toEqual({ cannot: ["budget"] });
    expect(carriersOf({ toolName: "exec", toolKind: "code_mode_exec" })).toBe("same");
  });
});
