import { describe, expect, it } from "vitest";
import { seenCall } from "./test/recorded.ts";
import { commandLine, mapRead, mapTerminal, mapTool, mapWrite, ownToolName } from "./tool-map.ts";
import { mergeSeen } from "./translate.ts";

const place = { cwd: "/w", servers: ["kit", "kit_two"] };
const map = (toolCall: object) => mapTool(mergeSeen(undefined, { toolCallId: "c", ...toolCall }), place);

describe("what OpenCode asks permission for", () => {
  it.each([
    { id: "call_1", tool: "read_file", args: { path: "a.txt" }, paths: [{ path: "/w/a.txt", access: "read" }] },
    { id: "call_2", tool: "shell", args: { command: "echo hi; exit 3" }, paths: undefined },
    {
      id: "call_3",
      tool: "write_file",
      args: { path: "a.txt", content: "new\n" },
      paths: [{ path: "/w/a.txt", access: "write" }],
    },
    {
      id: "call_4",
      tool: "edit_file",
      args: { path: "a.txt", old: "new", new: "newer" },
      paths: [{ path: "/w/a.txt", access: "write" }],
    },
  ])("ACT-1 $id maps to $tool, based on everything reported so far", ({ id, tool, args, paths }) => {
    const mapped = mapTool(seenCall(id, "asked"), place);
    expect(mapped).toMatchObject({ kind: "call", call: { tool, args } });
    if (mapped.kind === "call") expect(mapped.call.paths).toEqual(paths);
  });
});

describe("what other agents may ask for", () => {
  it.each([
    {
      given: { kind: "execute", rawInput: { command: ["bash", "-lc", "npm test"] } },
      tool: "shell",
      args: { command: "npm test" },
    },
    { given: { kind: "other", title: "Run it", rawInput: { command: "ls" } }, tool: "shell", args: { command: "ls" } },
    { given: { kind: "delete", locations: [{ path: "x" }] }, tool: "acp/delete", args: { path: "x" } },
    { given: { kind: "move", rawInput: { from: "a", to: "b" } }, tool: "acp/move", args: { path: "a" } },
    { given: { kind: "fetch", rawInput: { url: "http://x" } }, tool: "fetch", args: { url: "http://x" } },
    { given: { kind: "search", rawInput: { pattern: "x" } }, tool: "search", args: { pattern: "x" } },
    {
      given: { kind: "think", title: "task", rawInput: { prompt: "go", subagent_type: "general" } },
      tool: "task",
      args: { prompt: "go", agent: "general" },
    },
    {
      given: { kind: "other", title: "kit_two_look", rawInput: { shelf: 7 } },
      tool: "kit_two/look",
      args: { shelf: 7 },
    },
    { given: { kind: "other", name: "mcp__kit__look", title: "Look" }, tool: "kit/look", args: {} },
    { given: { kind: "other", name: "todowrite", title: "To do" }, tool: "acp/todowrite", args: {} },
    { given: { title: "A tool that says nothing" }, tool: "acp/other", args: {} },
    {
      given: { kind: "edit", content: [{ type: "diff", path: "n.txt", oldText: null, newText: "x" }] },
      tool: "edit_file",
      args: { path: "n.txt" },
    },
  ])("ACT-2 $given maps to $tool", ({ given, tool, args }) => {
    expect(map(given)).toMatchObject({ kind: "call", call: { tool, args } });
  });

  it.each([
    { kind: "execute", title: "npm test (runs the tests)" },
    { kind: "read", title: "Read a file" },
    { kind: "edit", rawInput: { content: "x" } },
    { kind: "delete" },
  ])("ACT-3 a call without a file or command cannot be decided: $kind", (given) => {
    expect(map(given)).toMatchObject({ kind: "unreadable" });
  });

  it("ACT-4 calls of Conduct's own tools are decided where they run", () => {
    expect(map({ name: "conduct_other" })).toMatchObject({ kind: "call", call: { tool: "conduct/other" } });
    for (const name of ["conduct_read_result", "mcp__conduct__save_memory"])
      expect(map({ name })).toEqual({ kind: "own" });
    expect(["OpenCode", "claude-agent-acp", "Gemini"].map((agent) => ownToolName(agent, "read_memory"))).toEqual([
      "conduct_read_memory",
      "mcp__conduct__read_memory",
      "read_memory",
    ]);
  });
});

describe("what an agent has the client do", () => {
  it("ACT-5 reads, writes and commands name their files and folder", () => {
    expect(mapRead({ path: "/w/a", line: 3, limit: 2 }, place)).toMatchObject({
      tool: "read_file",
      args: { path: "/w/a", offset: 3, limit: 2 },
      paths: [{ path: "/w/a", access: "read" }],
    });
    expect(mapWrite({ path: "/w/a", content: "x" }, place)).toMatchObject({
      tool: "write_file",
      paths: [{ path: "/w/a", access: "write" }],
    });
    expect(mapTerminal({ command: "npm", args: ["test"], cwd: "/w/sub" }, place)).toMatchObject({
      tool: "shell",
      args: { command: "npm test" },
      cwd: "/w/sub",
    });
  });

  it.each([
    { words: ["npm test && echo ok"], env: [], line: "npm test && echo ok" },
    { words: ["echo", "a b", "it's"], env: [], line: `echo 'a b' 'it'\\''s'` },
    { words: ["/bin/bash", "-c", "npm test"], env: [], line: "npm test" },
    { words: ["bash", "-c", "npm test", "x"], env: [], line: "bash -c 'npm test' x" },
    {
      words: ["npm", "test"],
      env: [
        ["TERM", "dumb"],
        ["PAGER", "cat"],
      ],
      line: "npm test",
    },
    {
      words: ["npm", "test"],
      env: [
        ["PATH", "/evil"],
        ["PAGER", "rm x"],
      ],
      line: "PATH=/evil PAGER='rm x' npm test",
    },
  ] as const)("ACT-6 the arguments $words become the command line $line", ({ words, env, line }) => {
    expect(commandLine(words, env)).toBe(line);
  });
});
