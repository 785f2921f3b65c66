import { expect, it } from "vitest";
import type { Part } from "../../../../base/words/result.ts";
import { after } from "../test/claude-events.ts";
import { replaceLeaves, shapeOf } from "./result-shape.ts";

const CUT: readonly Part[] = [{ kind: "text", text: "CUT" }];

function shape(id: string, full?: string) {
  const { tool_name, tool_response } = after(id);
  return { response: tool_response, ...shapeOf(tool_name, tool_response, full) };
}

it.each([
  { id: "bash", text: "out\nerr", replaced: { stdout: "CUT", stderr: "", isImage: false } },
  { id: "read", text: "1\tone\n2\ttwo\n3\t", replaced: { type: "text", file: { content: "CUT", startLine: 1 } } },
  { id: "grep", text: "a.txt", replaced: { mode: "files_with_matches", filenames: ["CUT"] } },
  { id: "grep-content", text: "a.txt:1:one", replaced: { mode: "content", content: "CUT" } },
  { id: "glob", text: "a.txt", replaced: { filenames: ["CUT"] } },
  { id: "agent", text: "found it", replaced: { status: "completed", content: [{ type: "text", text: "CUT" }] } },
  { id: "mcp-text", text: "one", replaced: [{ type: "text", text: "CUT" }] },
])(
  "SHAPE-1 the result of '$id' is read as the model sees it, and replaced in its own shape",
  ({ id, text, replaced }) => {
    const { parts, replace } = shape(id);
    expect(parts).toEqual([{ kind: "text", text }]);
    expect(replace?.(CUT)).toMatchObject(replaced);
  },
);

it("SHAPE-2 a structured MCP result is replaced by text", () => {
  expect(shape("mcp-data").replace?.(CUT)).toBe("CUT");
});

it("SHAPE-3 a long output is checked completely, and its replacement does not name the file with the original", () => {
  const { parts, replace } = shape("bash-long", "everything");
  expect(parts).toEqual([{ kind: "text", text: "everything" }]);
  expect(Object.keys(replace?.(CUT) as object)).not.toContain("persistedOutputPath");
});

it("SHAPE-4 the runtime's line numbers are part of the checked text, and are removed from the replacement", () => {
  const { replace } = shape("read");
  const shown = [{ kind: "text", text: "1\tone\n2\t7\tseven\n\n⚠️ [notice]" }] as const;
  expect(replace?.(shown)).toMatchObject({ file: { content: "one\n7\tseven\n\n⚠️ [notice]", numLines: 4 } });
});

it("SHAPE-5 pictures are read as pictures, and can be replaced by text", () => {
  expect(shape("read-image").parts).toMatchObject([{ kind: "image", mime: "image/png" }]);
  expect(shape("read-image").replace?.(CUT)).toMatchObject({ type: "text", file: { content: "CUT" } });
  const { parts, replace, response } = shape("mcp-image");
  expect(parts.map(({ kind }) => kind)).toEqual(["image", "text"]);
  expect(replace?.(parts)).toEqual(response);
  const shellImage = shapeOf("Bash", { stdout: "data:image/png;base64,AAAA", stderr: "", isImage: true });
  expect(shellImage.parts).toEqual([{ kind: "image", mime: "image/png", data: "AAAA" }]);
  expect(shellImage.replace?.(CUT)).toMatchObject({ stdout: "CUT", isImage: false });
});

it.each(["write", "edit"])(
  "SHAPE-6 the file that '%s' repeats in its response does not count, because the model does not see it",
  (id) => {
    const { parts, replace } = shape(id);
    expect(JSON.stringify(parts).length).toBeLessThan(100);
    expect(replace).toBeUndefined();
  },
);

it("SHAPE-7 a result of an unknown shape keeps its keys, and its long texts are removed", () => {
  const long = "x".repeat(500);
  const value = {
    status: "done",
    pages: [
      { title: "t", body: long },
      { title: "u", body: long.slice(1) },
    ],
    n: 1,
  };
  const replaced = {
    status: "done",
    pages: [
      { title: "t", body: "CUT" },
      { title: "u", body: "" },
    ],
    n: 1,
  };
  expect(shapeOf("SomethingNew", value).replace?.(CUT)).toEqual(replaced);
  expect(replaceLeaves(null, "CUT")).toBeNull();
});
