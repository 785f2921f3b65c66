import { describe, expect, it } from "vitest";
import { asObject } from "../../../base/kernel/json.ts";
import { rewriteInput } from "../shared/tool-args.ts";
import { OWN_TOOLS } from "./live-session.ts";
import { called } from "./test/recorded.ts";
import { carriersOf, mapTool, toolName } from "./tool-map.ts";

const place = { cwd: "/ws", servers: ["my.notes"], own: OWN_TOOLS };
const mapped = (id: string) => {
  const { tool, args } = called(id);
  const { native: _, ...call } = mapTool(tool, args, place);
  return call;
};
const at = (path: string, access: "read" | "write") => [{ path, access }];

describe("tool map", () => {
  it.each([
    { id: "bash", call: { tool: "shell", args: { command: "echo out; echo err >&2" }, cwd: "/ws" } },
    {
      id: "read",
      call: { tool: "read_file", args: { path: "a.txt", offset: 1, limit: 1 }, paths: at("/ws/a.txt", "read") },
    },
    { id: "read-folder", call: { tool: "read_file", args: { path: "/ws" }, paths: at("/ws", "read") } },
    {
      id: "write",
      call: { tool: "write_file", args: { path: "b.txt", content: "b\n" }, paths: at("/ws/b.txt", "write") },
    },
    {
      id: "edit",
      call: {
        tool: "edit_file",
        args: { path: "a.txt", old: "two", new: "zwei", all: true },
        paths: at("/ws/a.txt", "write"),
      },
    },
    { id: "glob", call: { tool: "search", args: { pattern: "*.txt" }, paths: at("/ws", "read") } },
    { id: "grep", call: { tool: "search", args: { pattern: "two", path: "." }, paths: at("/ws", "read") } },
    { id: "task", call: { tool: "task", args: { prompt: "do it", agent: "general" } } },
    { id: "todowrite", call: { tool: "opencode/todowrite", args: { todos: [] } } },
    { id: "mcp-text", call: { tool: "my.notes/text", args: {} } },
    // A call that OpenCode will not take either keeps what it is made of, and gets no name of the vocabulary.
    { id: "invalid", call: { tool: "opencode/bash", args: { comand: "typo" } } },
  ])("OC-1 the recorded $id maps to $call.tool", ({ id, call }) => {
    expect(mapped(id)).toEqual(call);
  });

  it("OC-1 a patch names every file that it changes, and counts as the writes and edits that it makes", () => {
    const { tool, args, paths, actions, proves } = mapped("apply_patch");
    expect({ tool, path: args.path, actions, proves }).toEqual({
      tool: "edit_file",
      path: "new.txt",
      actions: ["write_file"],
      proves: ["write_file"],
    });
    expect(paths).toEqual([...at("/ws/new.txt", "write"), ...at("/ws/a.txt", "write")]);
  });

  it.each([
    { name: "a_b_c", servers: ["a", "a_b"], tool: "a_b/c" },
    { name: "a_b_c", servers: ["a"], tool: "a/b_c" },
    // OpenCode lets a server's tool take the place of one of its own.
    { name: "apply_patch", servers: ["apply"], tool: "apply/patch" },
    { name: "read_result", servers: ["read"], tool: "read/result" },
    { name: "read_result", servers: ["other"], tool: "read_result" },
    { name: "deploy", servers: ["a"], tool: "deploy" },
    { name: "constructor", servers: [], tool: "constructor" },
  ])("OC-2 with the servers $servers, the tool $name maps to $tool", ({ name, servers, tool }) => {
    expect(mapTool(name, { part: 1 }, { ...place, servers }).tool).toBe(tool);
  });

  it("OC-2 arguments that are not an object are passed on unchanged, and the engine denies them", () => {
    expect(mapTool("deploy", "text", place).args).toBe("text");
    expect(mapTool("bash", "text", place)).toMatchObject({ tool: "opencode/bash", args: "text" });
  });

  it("OC-1 a command that names a folder runs there", () => {
    expect(mapTool("bash", { command: "ls", workdir: "sub" }, place).cwd).toBe("/ws/sub");
    expect(mapTool("bash", { command: "ls", workdir: "/tmp" }, place).cwd).toBe("/tmp");
  });

  it.each([
    { tool: "shell", model: "claude-5", seen: "bash" },
    { tool: "write_file", model: "claude-5", seen: "write" },
    { tool: "write_file", model: "gpt-9", seen: "apply_patch" },
    { tool: "edit_file", model: "gpt-4.1", seen: "edit" },
    { tool: "my.notes/text", model: "gpt-9", seen: "my_notes_text" },
    { tool: "save_memory", model: "gpt-9", seen: "save_memory" },
    { tool: "toString", model: "gpt-9", seen: "toString" },
  ])("OC-3 the model $model sees $tool as $seen", ({ tool, model, seen }) => {
    expect(toolName(tool, model)).toBe(seen);
  });
});

describe("a call with arguments that rules have changed", () => {
  it.each([
    { id: "bash", change: { command: "true" }, native: { command: "true", workdir: "." } },
    {
      id: "bash",
      change: { timeout: 60 },
      native: { command: "echo out; echo err >&2", workdir: ".", timeout: 60_000 },
    },
    { id: "write", change: { path: "c.txt" }, native: { filePath: "c.txt", content: "b\n" } },
    { id: "mcp-text", change: { any: "x" }, native: { any: "x" } },
    { id: "todowrite", change: { todos: [1] }, native: { todos: [1] } },
  ])("OC-4 $id rewritten with $change runs as $native", ({ id, change, native }) => {
    const { tool, args } = called(id);
    const call = mapTool(tool, args, place);
    const rewritten = rewriteInput(
      asObject(args),
      call.args,
      asObject({ ...call.args, ...change }),
      carriersOf(tool, call),
    );
    expect(rewritten).toEqual({ input: native });
  });

  it("OC-4 a rewritten argument that the tool does not have is reported", () => {
    const input = { url: "http://127.0.0.1/" };
    const call = mapTool("webfetch", input, place);
    const rewritten = rewriteInput(input, call.args, { ...call.args, depth: 1 }, carriersOf("webfetch", call));
    expect(rewritten).toEqual({ cannot: ["depth"] });
  });
});
