import { describe, expect, it } from "vitest";
import type { CallInput } from "../../base/words/call.ts";
import { CompiledAgent } from "../agent/compiled-agent.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { normaliseCall } from "./normalise-call.ts";

const agent = new CompiledAgent(
  defineAgent({
    name: "a",
    tools: [{ name: "save", paths: { to: "write", from: "read" } }],
    actions: { test: { tool: "shell", command: "npm test *" } },
  }),
  [],
);
const input = (tool: string, args: unknown, more: Partial<CallInput> = {}) =>
  ({ id: "c", tool, args, ...more }) as CallInput;

describe("normaliseCall", () => {
  it.each([
    ["no id", { ...input("t", {}), id: "" }, "the call has no id"],
    ["a long id", { ...input("t", {}), id: "x".repeat(257) }, "the call's id is longer than 256 characters"],
    ["no tool", input("", {}), "the call names no tool"],
    ["a long name", input("x".repeat(257), {}), "the tool's name is longer than 256 characters"],
    ["a line end in the name", input("a\nb", {}), "the tool's name contains control characters"],
    ["an escape in the name", input("a\x1b[2J", {}), "the tool's name contains control characters"],
    ["a list of arguments", input("t", []), "the arguments of 't' are not an object"],
  ])("NC-1 a call with %s is a fault", (_what, call, fault) => {
    expect(normaliseCall(call, agent)).toEqual({ fault });
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "NC-2 a tool named %s is treated like any other tool",
    (tool) => {
      expect(normaliseCall(input(tool, { path: "a" }), agent)).toMatchObject({ tool, paths: [], actions: [] });
    },
  );

  it.each([
    ["write_file", { path: "a" }, ["a"], undefined],
    ["write_file", { path: ["a", "b"] }, ["a", "b"], undefined],
    ["write_file", { path: "a", file_path: "b" }, ["a", "b"], undefined],
    ["write_file", { filename: "a" }, [], ["write"]],
    ["write_file", { path: 7 }, [], ["write"]],
    ["write_file", { path: "" }, [], ["write"]],
    ["write_file", { path: ["a", { b: 1 }] }, ["a"], ["write"]],
    ["edit_file", {}, [], ["write"]],
    ["read_file", {}, [], ["read"]],
    ["save", { to: "a", from: ["b"], path: "c" }, ["a", "b"], undefined],
    ["save", { to: {} }, [], ["write"]],
    ["other", { path: "a" }, [], undefined],
  ])("NC-3 the call %s %j names the paths %j, and its unclear accesses are %j", (tool, args, paths, unclear) => {
    const call = normaliseCall(input(tool, args), agent);
    if ("fault" in call) throw new Error(call.fault);
    expect(call.paths.map(({ path }) => path)).toEqual(paths);
    expect(call.unclear).toEqual(unclear);
  });

  it.each([
    ["files/write_file", { path: "a" }, ["write_file"], ["workspace.change"], ["write a"], []],
    ["files/fileWrite", { filePath: "a" }, ["write_file"], ["workspace.change"], ["write a"], []],
    ["files/edit_file", { path: "a", edits: [] }, ["edit_file"], ["workspace.change"], ["write a"], []],
    ["files/read_text_file", { path: "a", head: 3 }, ["read_file"], [], ["read a"], ["read_file"]],
    ["files/read_multiple_files", { paths: ["a", "b"] }, ["read_file"], [], ["read a", "read b"], ["read_file"]],
    ["files/get_file_info", { path: "a" }, ["read_file"], [], ["read a"], []],
    ["files/delete_file", { path: "a" }, [], ["files.delete", "workspace.change"], ["write a"], []],
    [
      "files/move_file",
      { source: "a", destination: "b" },
      [],
      ["files.move", "workspace.change"],
      ["write a", "write b"],
      [],
    ],
    ["files/create_directory", { path: "a" }, [], [], [], []],
    ["forge/create_or_update_file", { owner: "o", repo: "r", path: "a" }, [], [], [], []],
    ["desk/write_note", { text: "a" }, [], [], [], []],
    ["box/execute_command", { command: "npm test" }, ["test"], ["shell", "tests.run"], [], []],
    ["box/start_process", { cmd: ["git", "push", "-f"] }, [], ["shell", "git.push"], [], []],
    ["box/run", { command: "cat", args: ["a b"], cwd: "/w/sub" }, ["read_file"], ["shell"], ["read /w/sub/a b"], []],
    ["desk/command", { text: "rm -rf /" }, [], [], [], []],
  ])(
    "NC-10 an undeclared tool of a server is gated like the tool that it seems to be: %s %j",
    (tool, args, actions, effects, paths, proves) => {
      const call = normaliseCall(input(tool, args), agent, "/w");
      if ("fault" in call) throw new Error(call.fault);
      expect(call.actions).toEqual(actions);
      expect((call.effects ?? []).map(({ name }) => name)).toEqual(effects);
      expect(call.paths.map(({ path, access }) => `${access} ${path}`)).toEqual(paths);
      expect(call.proves).toEqual(proves);
    },
  );

  it("NC-11 a declaration with paths replaces the reading of a server's tool", () => {
    const tools = [{ name: "files/write_file", paths: {} }];
    const declared = new CompiledAgent(defineAgent({ name: "a", tools }), []);
    expect(normaliseCall(input("files/write_file", { path: "a" }), declared)).toMatchObject({ actions: [], paths: [] });
  });

  it.each([
    [undefined, "/w", ["test"]],
    ["/w", "/w", ["test"]],
    ["/w/", "/w", ["test"]],
    ["/w/sub", "/w", []],
    ["/tmp/fake", "/w", []],
  ])("NC-4 in folder %s of workspace %s `npm test` proves %j", (cwd, root, proves) => {
    const call = normaliseCall(input("shell", { command: "npm test" }, cwd === undefined ? {} : { cwd }), agent, root);
    expect(call).toMatchObject({ actions: ["test"], proves });
  });

  it("NC-5 a command's files are resolved from its folder, and an unresolvable path counts as unclear", () => {
    const command = "cat a ~/b /c > $F";
    expect(normaliseCall(input("shell", { command }, { cwd: "/w/sub" }), agent, "/w")).toMatchObject({
      paths: [{ path: "/w/sub/a" }, { path: "~/b" }, { path: "/c" }],
      unclear: ["write"],
      actions: ["read_file", "write_file"],
      proves: [],
    });
    const given = input("shell", { command }, { paths: [], unclear: ["write"] });
    expect(normaliseCall(given, agent)).toMatchObject({ paths: [], unclear: ["write"], actions: [] });
  });

  it.each([
    ["shell", { command: "git push -f" }, { paths: [] }, "git.push"],
    ["postgres/query", { sql: "DELETE FROM a" }, {}, "database.change"],
    ["edit_file", { path: "a.test.ts", old: "it('x'", new: "it.skip('x'" }, {}, "tests.weaken"],
    ["edit_file", { patch: "*** Update File: a.test.ts\n-expect(a).toBe(1)\n+a;" }, { paths: [] }, "tests.weaken"],
  ])("NC-20 a call of %s with %j has effects, also if the adapter names its files", (tool, args, more, effect) => {
    const call = normaliseCall(input(tool, args, more), agent);
    expect("effects" in call && call.effects?.map(({ name }) => name)).toContain(effect);
  });
});
