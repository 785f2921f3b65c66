import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { carriersOf as codexCarriers, mapCall } from "../codex/tool-map.ts";
import { carriersOf as claudeCarriers, mapTool } from "./claude/tool-map.ts";
import { rewriteInput, rewriteRefusal } from "./tool-args.ts";

describe("rewriteInput", () => {
  it("RW-1 only arguments changed by rules change, under the runtime's names", () => {
    const native = { file_path: "/w/a", old_string: "x", note: "mine" };
    const before = { path: "/w/a", old: "x" };
    const rewritten = rewriteInput(native, before, { path: "/w/b", old: "x" }, { path: "file_path" });
    expect(rewritten).toEqual({ input: { file_path: "/w/b", old_string: "x", note: "mine" } });
    expect(native.file_path).toBe("/w/a");
  });

  it("RW-2 arguments that the runtime does not have are named", () => {
    const rewritten = rewriteInput({}, {}, { timeout: 60, user: "ann" }, { timeout: "timeout" });
    expect(rewritten).toEqual({ cannot: ["user"] });
    expect(rewriteInput({}, {}, { constructor: 1 }, {})).toEqual({ cannot: ["constructor"] });
    expect(rewriteRefusal("shell", "Codex", ["user"])).toContain("rules change 'user' of this call");
  });

  it("RW-3 values are converted to the runtime's unit, and arguments removed by rules are removed", () => {
    const carriers = { timeout: { name: "timeout", times: 1_000 }, all: "replace_all" };
    expect(rewriteInput({}, {}, { timeout: 60 }, carriers)).toEqual({ input: { timeout: 60_000 } });
    expect(rewriteInput({ timeout: 1 }, { timeout: 1 }, {}, carriers)).toEqual({ input: {} });
    expect(rewriteInput({ replace_all: true }, { all: true }, {}, carriers)).toEqual({ input: {} });
    expect(rewriteInput({}, {}, { timeout: "long" }, carriers)).toEqual({ cannot: ["timeout"] });
  });

  it("RW-4 with identical names the input is exactly the rewritten arguments, and equal arguments change nothing", () => {
    const args = fc
      .dictionary(fc.string(), fc.jsonValue())
      .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
    fc.assert(
      fc.property(args, args, (before, after) => {
        expect(rewriteInput(before, before, after, "same")).toEqual({ input: after });
        expect(rewriteInput(before, after, after, {})).toEqual({ input: before });
      }),
    );
  });
});

describe("the way back into Claude's input", () => {
  const place = { cwd: "/w" };
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      "Bash",
      { command: "a", description: "d" },
      { command: "b", background: true },
      { command: "b", description: "d", run_in_background: true },
    ],
    ["Bash", { command: "a" }, { timeout: 60 }, { command: "a", timeout: 60_000 }],
    ["Read", { file_path: "/w/a" }, { path: "/w/b", limit: 5 }, { file_path: "/w/b", limit: 5 }],
    ["Write", { file_path: "/w/a", content: "x" }, { content: "y" }, { file_path: "/w/a", content: "y" }],
    [
      "Edit",
      { file_path: "/w/a", old_string: "x", new_string: "y" },
      { old: "o", new: "n", all: true },
      { file_path: "/w/a", old_string: "o", new_string: "n", replace_all: true },
    ],
    [
      "Task",
      { prompt: "p", description: "d" },
      { prompt: "q", agent: "safe" },
      { prompt: "q", description: "d", subagent_type: "safe" },
    ],
    ["mcp__desk__lookup", { id: 1 }, { limit: 5 }, { id: 1, limit: 5 }],
    ["TodoWrite", { todos: [] }, { todos: ["a"] }, { todos: ["a"] }],
  ])("RW-5 a rewritten call of Claude's %s is returned in its own input format", (name, native, change, input) => {
    const mapped = mapTool(name, native, place);
    const after = { ...mapped.args, ...change };
    expect(rewriteInput(native, mapped.args, after, claudeCarriers(name, mapped))).toEqual({ input });
  });

  it("RW-5 a rewritten argument that a Claude tool does not have is rejected", () => {
    const mapped = mapTool("Read", { file_path: "/w/a" }, place);
    expect(rewriteInput({}, mapped.args, { ...mapped.args, user: "x" }, claudeCarriers("Read", mapped))).toEqual({
      cannot: ["user"],
    });
  });
});

describe("the way back into Codex' input", () => {
  const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n";
  const added = "*** Begin Patch\n*** Add File: b.txt\n+new\n*** End Patch\n";
  it.each<[string, JsonObject, JsonObject, string, JsonObject]>([
    ["Bash", { command: "a" }, { command: "b" }, "/w", { input: { command: "b" } }],
    ["Bash", { command: "a" }, { timeout: 60 }, "/w", { cannot: ["timeout"] }],
    // It would run in the folder that the model asked for, and not where rules think.
    ["Bash", { command: "a" }, { command: "b" }, "/w/sub", { cannot: ["command"] }],
    ["apply_patch", { command: patch }, { patch: "p" }, "/w", { input: { command: "p" } }],
    ["apply_patch", { command: added }, { content: "x" }, "/w", { cannot: ["content"] }],
    ["mcp__desk__lookup", { id: 1 }, { limit: 5 }, "/w", { input: { id: 1, limit: 5 } }],
    ["view_image", { path: "a.png" }, { path: "b.png" }, "/w", { cannot: ["path"] }],
  ])(
    "RW-6 a rewritten call of Codex' %s %o is returned in its own format or rejected",
    (name, native, change, cwd, expected) => {
      const use = { id: "c", name, input: native };
      const mapped = mapCall(use, { root: "/w", cwd });
      const after = { ...mapped.args, ...change };
      expect(rewriteInput(native, mapped.args, after, codexCarriers(use, mapped))).toEqual(expected);
    },
  );
});
