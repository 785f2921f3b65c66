import { expect, it } from "vitest";
import type { Json } from "../../../../base/words/json.ts";
import { before } from "../test/claude-events.ts";
import { mapTool } from "./tool-map.ts";
import { callKey, toCall } from "./translate.ts";

const a = "/run/workspace/a.txt";
const place = { cwd: "/w/sub", home: "/home/me" };

it.each([
  { id: "bash", tool: "shell", args: { command: "echo out; echo err >&2" }, paths: undefined },
  { id: "bash-background", tool: "shell", args: { command: "sleep 0", background: true }, paths: undefined },
  { id: "read", tool: "read_file", args: { path: a }, paths: [{ path: a, access: "read" }] },
  { id: "write", tool: "write_file", args: { path: a, content: "new\n" }, paths: [{ path: a, access: "write" }] },
  { id: "edit", tool: "edit_file", args: { path: a, old: "one", new: "1" }, paths: [{ path: a, access: "write" }] },
  { id: "glob", tool: "search", args: { pattern: "*.txt" }, paths: [{ path: "/run/workspace", access: "read" }] },
  { id: "grep", tool: "search", args: { pattern: "one" }, paths: [{ path: "/run/workspace", access: "read" }] },
  { id: "mcp-text", tool: "notes/text", args: {}, paths: undefined },
  { id: "agent", tool: "task", args: { prompt: "do it", agent: "general-purpose" }, paths: undefined },
])("TOOL-1 the recorded call '$id' maps to $tool", ({ id, tool, args, paths }) => {
  const call = toCall(before(id), "main-1");
  expect({ tool: call.tool, args: call.args, paths: call.paths }).toEqual({ tool, args, paths });
  expect(call.native).toMatchObject({ runtime: "claude", name: before(id).tool_name });
});

it.each([
  { name: "Read", input: { file_path: "x.txt" }, path: "/w/sub/x.txt" },
  { name: "Read", input: { file_path: "~/x.txt" }, path: "/home/me/x.txt" },
  { name: "Grep", input: { pattern: "p", path: "~/.conduct" }, path: "/home/me/.conduct" },
  { name: "Glob", input: { pattern: "../../etc/*.conf" }, path: "/etc" },
  { name: "Glob", input: { pattern: "/etc/ssl/**/*.pem" }, path: "/etc/ssl" },
  { name: "Glob", input: { pattern: "/*" }, path: "/" },
  { name: "Glob", input: { pattern: "~/.conduct/*" }, path: "/home/me/.conduct" },
  { name: "Glob", input: { pattern: "a/b.txt", path: "/p" }, path: "/p/a" },
  { name: "NotebookEdit", input: { notebook_path: "/n.ipynb", new_source: "1" }, path: "/n.ipynb" },
])("TOOL-2 $name $input accesses $path, as the runtime resolves it", ({ name, input, path }) => {
  expect(mapTool(name, input, place).paths?.map((one) => one.path)).toEqual([path]);
});

it.each([
  { name: "Monitor", input: { command: "tail -f x" }, tool: "shell" },
  { name: "WebFetch", input: { url: "http://x", prompt: "p" }, tool: "fetch" },
  { name: "WebSearch", input: { query: "q" }, tool: "web_search" },
  { name: "MultiEdit", input: { file_path: "/w/a", edits: [] }, tool: "edit_file" },
  { name: "PowerShell", input: { command: "git push -f" }, tool: "shell" },
  { name: "Write", input: { nothing: 1 }, tool: "write_file" },
  { name: "Bash", input: { command: { odd: 1 } }, tool: "shell" },
  { name: "Workflow", input: { name: "w" }, tool: "claude/Workflow" },
  { name: "Read", input: { nothing: 1 }, tool: "claude/Read" },
])("TOOL-3 $name maps to $tool", ({ name, input, tool }) => {
  expect(mapTool(name, input, place).tool).toBe(tool);
});

it("TOOL-7 a command given as a list of words is read as the line it runs", () => {
  const line = (command: Json) => mapTool("Bash", { command }, place).args.command;
  expect(line(["bash", "-lc", "git push -f"])).toBe("git push -f");
  expect(line(["git", "commit", "-m", "a b"])).toBe("git commit -m 'a b'");
  expect(line(["bash", "-lc", "echo $0", "x"])).toBe("bash -lc 'echo $0' x");
  expect(line([1])).toBeNull();
});

it("TOOL-4 only the in-process server counts as Conduct's own", () => {
  const name = "mcp__conduct__read_result";
  expect(mapTool(name, {}, place, { name: "conduct", source: "sdk" }).tool).toBe("read_result");
  expect(mapTool(name, {}, place, { name: "conduct", source: "project" }).tool).toBe("conduct/read_result");
  expect(mapTool(name, {}, place).tool).toBe("conduct/read_result");
});

it("TOOL-5 a command's description is not part of the call", () => {
  const keyOf = (description: string) => callKey(mapTool("Bash", { command: "ls", description }, place));
  expect(keyOf("lists files")).toBe(keyOf("shows the folder"));
});

it("TOOL-6 arguments that are not an object are passed on unchanged, and the engine denies them", () => {
  expect(mapTool("Unheard", "text", place).args).toBe("text");
});
