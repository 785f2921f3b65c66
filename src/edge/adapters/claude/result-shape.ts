import { isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part } from "../../../base/words/result.ts";
import type { Block } from "./native.ts";
import { replaceLeaves } from "./replace-leaves.ts";

/**
 * A native result as parts, and the way back. The runtime takes a replacement for one of its own tools only in exactly
 * that tool's shape, and **silently keeps the original** otherwise. No `replace`: the model never sees the large fields.
 */
export type ResultShape = { readonly parts: readonly Part[]; replace?(parts: readonly Part[]): unknown };

/** `full` is the whole output of a command where the runtime has kept only its beginning. */
export function shapeOf(name: string, response: unknown, full?: string): ResultShape {
  if (name.startsWith("mcp__")) return blocksShape(response, (blocks) => blocks);
  if (!isObject(response))
    return typeof response === "string" ? textShape(response, (text) => text) : jsonShape(response);
  return SHAPES[name]?.(response, full) ?? jsonShape(response);
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
  // The model is only told that the file is written; what the response repeats of it never reaches the model.
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
    return { parts: [part], replace: (parts) => replaced(partsText(parts)) };
  }
  return textShape(full ?? [stdout, String(response.stderr ?? "")].filter((text) => text !== "").join("\n"), replaced);
}

/** The runtime numbers the lines itself: the numbers count for the size, and are taken off again on the way back. */
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
    return { parts: [part], replace: (parts) => asText(partsText(parts)) };
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
  return { parts: [{ kind: "text", text }], replace: (parts) => back(partsText(parts)) };
}

function jsonShape(value: unknown): ResultShape {
  return {
    parts: [{ kind: "json", value: (value ?? null) as Json }],
    replace: (parts) => replaceLeaves(value, partsText(parts)),
  };
}

function blocksShape(response: unknown, back: (blocks: Block[]) => unknown): ResultShape {
  if (typeof response === "string") return textShape(response, (text) => text);
  if (!Array.isArray(response)) return jsonShape(response);
  return { parts: response.map(blockPart), replace: (parts) => back(parts.map(partBlock)) };
}

function blockPart(block: Block): Part {
  if (block.type === "text" && typeof block.text === "string") return { kind: "text", text: block.text };
  const source = block.source;
  if (block.type === "image" && isObject(source) && typeof source.data === "string") {
    return { kind: "image", mime: String(source.media_type ?? "image/png"), data: source.data };
  }
  return { kind: "json", value: block as JsonObject };
}

function partBlock(part: Part): Block {
  if (part.kind === "image") {
    return { type: "image", source: { type: "base64", media_type: part.mime, data: part.data } };
  }
  return { type: "text", text: partsText([part]) };
}

/** Parts as one text, for a result that has room for nothing else. */
export function partsText(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.kind === "text") return part.text;
      if (part.kind === "json") return JSON.stringify(part.value);
      return part.kind === "image" ? `[image ${part.mime}]` : `[${part.bytes.length} bytes]`;
    })
    .join("\n");
}
