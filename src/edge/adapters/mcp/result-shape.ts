import { asList, asObject, isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { DIRECTIVES } from "../../../behavior/policy/builtin/requirements.ts";
import type { Delivered } from "../../../engine/moments/result.ts";
import { outcomeOf } from "./outcome-map.ts";
import { outlineOf, type Repeat, repeatOf, structuredOf } from "./structured-content.ts";

/** Where the structured content stands: in a part of its own, or in the text that repeats it. */
type Structured = { readonly value: JsonObject; readonly at: number; readonly repeat?: Repeat };

/** A server's response as the engine reads it, and what is needed to write it again. */
export type ResultShape = { readonly result: ToolResult; readonly structured?: Structured };

/** The response to a `tools/call`. */
export function shapeOf(response: JsonObject): ResultShape {
  const outcome = outcomeOf(response);
  if (isObject(response.error)) return { result: { outcome, parts: errorParts(response.error) } };
  const result = asObject(response.result);
  const blocks = asList(result.content);
  const parts = blocks.map(partOf);
  const value = result.structuredContent;
  if (!isObject(value)) {
    // Neither form of a result: what it is instead must not pass uncut.
    const whole: readonly Part[] = Array.isArray(result.content) ? parts : [{ kind: "json", value: result }];
    return { result: { outcome, parts: whole } };
  }
  for (const [at, part] of parts.entries()) {
    const repeat = part.kind === "text" ? repeatOf(part.text, value) : undefined;
    if (repeat === undefined) continue;
    const required = Object.hasOwn(value, DIRECTIVES) ? { requirements: value[DIRECTIVES] } : {};
    return { result: { outcome, parts, ...required }, structured: { value, at, repeat } };
  }
  return { result: { outcome, parts: [...parts, { kind: "json", value }] }, structured: { value, at: parts.length } };
}

/**
 * The response with what the agent may see of it, and texts before and after. `exact` is the response as it came, to be
 * written again. `undefined`: it can be passed on byte for byte.
 */
export function reshape(
  exact: JsonObject,
  shape: ResultShape,
  delivered: Delivered,
  beside: { readonly before: readonly string[]; readonly after: readonly string[] },
): JsonObject | undefined {
  const { before, after } = beside;
  const { changed } = delivered;
  if (!changed && before.length === 0 && after.length === 0) return undefined;
  if (isObject(exact.error)) {
    const said = changed ? textsOf(delivered.result.parts) : [String(exact.error.message ?? "")];
    const { data, ...error } = exact.error;
    const kept = changed || data === undefined ? error : { ...error, data };
    return { ...exact, error: { ...kept, message: [...before, ...said, ...after].join("\n\n") } };
  }
  const around = (content: readonly Json[]) => [...before.map(textBlock), ...content, ...after.map(textBlock)];
  const result = asObject(exact.result);
  if (!changed) return { ...exact, result: { ...result, content: around(asList(result.content)) } };
  if (delivered.result.outcome !== shape.result.outcome) return withheld(exact, around(textBlocks(delivered)));
  const { structuredContent: _structured, ...rest } = result;
  const structured = structuredAfter(shape, delivered);
  const content = contentAfter(asList(result.content), shape, delivered.result.parts);
  return {
    ...exact,
    result: {
      ...(Array.isArray(result.content) || shape.structured !== undefined ? rest : {}),
      content: around(content),
      ...(structured === undefined ? {} : { structuredContent: structured }),
    },
  };
}

/** It could not be checked: nothing of what the server said passes, and no schema is held against what does. */
function withheld(exact: JsonObject, content: readonly Json[]): JsonObject {
  const { error: _error, ...envelope } = exact;
  return { ...envelope, result: { content, isError: true } };
}

function partOf(block: Json): Part {
  if (!isObject(block)) return { kind: "json", value: block };
  if (block.type === "text" && typeof block.text === "string") return { kind: "text", text: block.text };
  if ((block.type === "image" || block.type === "audio") && typeof block.data === "string") {
    return { kind: "image", mime: String(block.mimeType ?? ""), data: block.data };
  }
  if (block.type === "resource" && isObject(block.resource)) {
    const { text, blob, mimeType } = block.resource;
    if (typeof text === "string") return { kind: "text", text };
    if (typeof blob === "string") return { kind: "image", mime: String(mimeType ?? ""), data: blob };
  }
  return { kind: "json", value: block };
}

function contentAfter(blocks: readonly Json[], { structured }: ResultShape, parts: readonly Part[]): readonly Json[] {
  const apart = structured !== undefined && structured.repeat === undefined;
  const given = blocks.length + (apart ? 1 : 0);
  // So many parts that they were cut as one text; pictures stay in their order.
  if (parts.length !== given) {
    const pictures = blocks.filter((block) => partOf(block).kind === "image");
    return parts.flatMap((part) => (part.kind === "image" ? (pictures.shift() ?? []) : textBlocksOf(part)));
  }
  const content = parts.slice(0, blocks.length).map((part, at) => blockAfter(blocks[at] ?? null, part));
  const own = apart ? parts[structured.at] : undefined;
  // Cut, it is a text with the notice in it, which has to be where the model reads.
  return own?.kind === "text" ? [...content, textBlock(own.text)] : content;
}

function blockAfter(block: Json, part: Part): Json {
  const before = partOf(block);
  if (part.kind === "image") return block;
  if (part.kind === "json") return part.value;
  if (part.kind === "bytes" || !isObject(block) || before.kind !== "text") return textBlock(textsOf([part]).join(""));
  if (before.text === part.text) return block;
  if (block.type === "text") return { ...block, text: part.text };
  return { ...block, resource: { ...asObject(block.resource), text: part.text } };
}

function structuredAfter(
  { structured, result }: ResultShape,
  { result: { parts } }: Delivered,
): JsonObject | undefined {
  if (structured === undefined) return undefined;
  const { [DIRECTIVES]: _directives, ...value } = structured.value;
  const part = parts.length === result.parts.length ? parts[structured.at] : undefined;
  if (part?.kind === "json" && isObject(part.value)) return part.value;
  const { repeat } = structured;
  // Whole, as far as it may be seen: tags of ours are made harmless in the text, and so they are here.
  const repeated = repeat === undefined || part?.kind !== "text" ? undefined : structuredOf(part.text, repeat);
  return repeated ?? outlineOf(value);
}

function errorParts({ message, data }: JsonObject): readonly Part[] {
  const said: Part = { kind: "text", text: String(message ?? "") };
  return data === undefined ? [said] : [said, { kind: "json", value: data }];
}

function textBlocks({ result }: Delivered): readonly Json[] {
  return textsOf(result.parts).map(textBlock);
}

function textBlocksOf(part: Part): readonly Json[] {
  return textsOf([part]).map(textBlock);
}

function textsOf(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === "text") return [part.text];
    return part.kind === "json" ? [JSON.stringify(part.value)] : [];
  });
}

/** A block of text, as MCP writes it. */
export function textBlock(text: string): JsonObject {
  return { type: "text", text };
}
