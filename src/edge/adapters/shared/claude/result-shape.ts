import { open } from "node:fs/promises";
import { asObject, exactOf, isExactNumber, isObject } from "../../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../../base/words/result.ts";
import { shownText } from "../../../../behavior/results/result-text.ts";
import { partOfBlock } from "../content.ts";
import type { Block, PostToolUseFailure } from "./native.ts";

/**
 * A native result as parts, and the way back. The runtime accepts a replacement only in exactly the tool's own shape,
 * and **silently keeps the original** otherwise. No `replace`: the model never sees the large fields.
 */
export type ResultShape = { readonly parts: readonly Part[]; replace?(parts: readonly Part[]): unknown };

/** `full` is the whole output of a command if the response has only its beginning. */
export function shapeOf(name: string, response: unknown, full?: string): ResultShape {
  if (name.startsWith("mcp__")) return blocksShape(response, (blocks) => blocks);
  if (typeof response === "string") return textShape(response, (text) => text);
  return (isObject(response) ? SHAPES[name]?.(response, full) : undefined) ?? jsonShape(response);
}

const SHAPES: Readonly<Record<string, (response: JsonObject, full?: string) => ResultShape | undefined>> = {
  Bash: shellShape,
  Read: readShape,
  Grep: (r) =>
    r.mode === "files_with_matches"
      ? namesShape(r)
      : textShape(String(r.content ?? ""), (content) => ({ ...r, content })),
  Glob: namesShape,
  Agent: agentShape,
  Task: agentShape,
  // The model only sees that the file was written, never the file's content in the response.
  Write: writtenShape,
  Edit: writtenShape,
  NotebookEdit: writtenShape,
};

function shellShape(response: JsonObject, full: string | undefined): ResultShape {
  const { persistedOutputPath: _path, persistedOutputSize: _size, ...rest } = response;
  const replaced = (text: string) => ({ ...rest, stdout: text, stderr: "", isImage: false });
  const stdout = String(response.stdout ?? "");
  const image = response.isImage === true ? /^data:([^;]+);base64,(.*)$/s.exec(stdout) : null;
  if (image !== null) {
    const part: Part = { kind: "image", mime: image[1] ?? "", data: image[2] ?? "" };
    return { parts: [part], replace: (parts) => replaced(shownText(parts)) };
  }
  return textShape(full ?? [stdout, String(response.stderr ?? "")].filter((text) => text !== "").join("\n"), replaced);
}

/** The runtime numbers the lines: the numbers count towards the size, and are removed on the way back. */
function readShape(response: JsonObject): ResultShape | undefined {
  const { file } = response;
  if (!isObject(file)) return undefined;
  const asText = (content: string) => {
    const { filePath = "", startLine = 1, totalLines } = file;
    const numLines = content.split("\n").length;
    return { type: "text", file: { filePath, content, numLines, startLine, totalLines: totalLines ?? numLines } };
  };
  if (response.type === "image" && typeof file.base64 === "string") {
    const part: Part = { kind: "image", mime: String(file.type ?? "image/png"), data: file.base64 };
    return { parts: [part], replace: (parts) => asText(shownText(parts)) };
  }
  if (response.type !== "text") return undefined;
  const first = typeof file.startLine === "number" ? file.startLine : 1;
  const lines = String(file.content ?? "").split("\n");
  const numbered = lines.map((line, i) => `${first + i}\t${line}`).join("\n");
  return textShape(numbered, (text) => asText(text.replace(/^\d+\t/gm, "")));
}

function namesShape(response: JsonObject): ResultShape {
  const names = Array.isArray(response.filenames) ? response.filenames : [];
  return textShape(names.join("\n"), (text) => ({ ...response, filenames: text.split("\n") }));
}

function agentShape(response: JsonObject): ResultShape | undefined {
  return Array.isArray(response.content)
    ? blocksShape(response.content, (content) => ({ ...response, content }))
    : undefined;
}

function writtenShape(response: JsonObject): ResultShape {
  const path = response.filePath ?? response.notebook_path ?? "";
  return { parts: [{ kind: "text", text: `written: ${String(path)}` }] };
}

function textShape(text: string, back: (text: string) => unknown): ResultShape {
  return { parts: [{ kind: "text", text }], replace: (parts) => back(shownText(parts)) };
}

function jsonShape(value: unknown): ResultShape {
  return {
    parts: [{ kind: "json", value: (value ?? null) as Json }],
    replace([first, ...more]) {
      // Without its directives it has the same shape.
      if (first?.kind === "json" && more.length === 0) return first.value;
      return replaceLeaves(exactOf((value ?? null) as Json), shownText(first === undefined ? [] : [first, ...more]));
    },
  };
}

function blocksShape(response: unknown, back: (blocks: Block[]) => unknown): ResultShape {
  if (typeof response === "string") return textShape(response, (text) => text);
  if (!Array.isArray(response)) return jsonShape(response);
  return { parts: response.map(partOfBlock), replace: (parts) => back(parts.map(partBlock)) };
}

function partBlock(part: Part): Block {
  if (part.kind === "image") {
    return { type: "image", source: { type: "base64", media_type: part.mime, data: part.data } };
  }
  return { type: "text", text: shownText([part]) };
}

/** Texts up to this length are names and states; longer ones are content. */
const SHORT = 120;

/**
 * Replaces a result of unknown shape: its longest text becomes `text`, every other long text is emptied. Names, numbers
 * and states stay, so the runtime still recognises the shape.
 */
export function replaceLeaves(value: unknown, text: string): unknown {
  const longest = longestLeaf(value);
  let said = false;
  const walk = (node: unknown): unknown => {
    if (typeof node === "string") {
      if (!said && node === longest) {
        said = true;
        return text;
      }
      return node.length > SHORT ? "" : node;
    }
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== "object" || node === null || isExactNumber(node)) return node;
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, walk(child)]));
  };
  return walk(value);
}

function longestLeaf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  let longest: string | undefined;
  for (const child of Object.values(value)) {
    const found = longestLeaf(child);
    if (found !== undefined && found.length > (longest?.length ?? -1)) longest = found;
  }
  return longest;
}

/** Longer output is not read back in full. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The whole output of a command: above 30,000 characters the runtime writes it to a file. `undefined` without one. */
export async function fullOutput(response: unknown): Promise<string | undefined> {
  const { persistedOutputPath } = asObject(response);
  if (typeof persistedOutputPath !== "string") return undefined;
  try {
    await using file = await open(persistedOutputPath, "r");
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, MOST_BYTES)));
    return buffer.subarray(0, bytesRead).toString("utf8");
  } catch {
    return undefined;
  }
}

type Ended = Pick<ToolResult, "outcome" | "exitCode">;

/** The outcome of a call that the runtime reports as done. Work that continues in the background is `unknown`. */
export function outcomeOf(name: string, response: unknown): Ended {
  if (!isObject(response)) return { outcome: "ok" };
  if (name === "Agent" || name === "Task") return { outcome: response.status === "completed" ? "ok" : "unknown" };
  if (name !== "Bash" && name !== "Monitor") return { outcome: "ok" };
  if ("backgroundTaskId" in response || "taskId" in response) return { outcome: "unknown" };
  if (response.interrupted === true) return { outcome: "cancelled" };
  // `grep` without a match, for example: the runtime reports a result, but the exit code was not 0.
  if ("returnCodeInterpretation" in response) return { outcome: "failed" };
  return { outcome: "ok", exitCode: 0 };
}

/** The outcome of a call that the runtime reports as failed. The text of a failed command begins with its exit code. */
export function failureOf({ error, is_interrupt }: Pick<PostToolUseFailure, "error" | "is_interrupt">): Ended {
  if (is_interrupt === true) return { outcome: "cancelled" };
  const code = /^Exit code (\d+)/.exec(error)?.[1];
  return { outcome: "failed", exitCode: code === undefined ? undefined : Number(code) };
}
