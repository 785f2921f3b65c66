import { canonicalJson, isSameJson } from "../../../base/kernel/canonical-json.ts";
import { asList, asObject, isObject, parseExactly, parseObject } from "../../../base/kernel/json.ts";
import { cutGraphemes, neutraliseTags } from "../../../base/kernel/text.ts";
import type { Outcome } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { splitDirectives } from "../../../behavior/policy/builtin/requirements.ts";
import type { Delivered } from "../../../engine/moments/result.ts";
import { partOfBlock, requirementsIn, textBlock } from "../shared/content.ts";

/** The place of the structured content: a separate part, or the text that repeats it. */
type Structured = { readonly value: JsonObject; readonly at: number; readonly repeat?: Repeat };

/** A server's response for the engine, with the data to write it again. */
type ResultShape = { readonly result: ToolResult; readonly structured?: Structured };

export function shapeOf(response: JsonObject): ResultShape {
  const outcome = outcomeOf(response);
  if (isObject(response.error)) {
    const { message, data } = response.error;
    const said: Part = { kind: "text", text: String(message ?? "") };
    return { result: { outcome, parts: data === undefined ? [said] : [said, { kind: "json", value: data }] } };
  }
  const result = asObject(response.result);
  const blocks = asList(result.content);
  const parts = blocks.map(partOfBlock);
  const value = result.structuredContent;
  if (!isObject(value)) {
    // An unknown form of result must still not pass uncut.
    const whole: readonly Part[] = Array.isArray(result.content) ? parts : [{ kind: "json", value: result }];
    return { result: { outcome, parts: whole } };
  }
  for (const [at, part] of parts.entries()) {
    const repeat = part.kind === "text" ? repeatOf(part.text, value) : undefined;
    if (repeat === undefined) continue;
    return { result: { outcome, parts, requirements: requirementsIn(value) }, structured: { value, at, repeat } };
  }
  return { result: { outcome, parts: [...parts, { kind: "json", value }] }, structured: { value, at: parts.length } };
}

/**
 * The response as delivered, with texts before and after. `exact` is the original response. `undefined`: it can be forwarded
 * byte for byte.
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
  const kind = result.resultType === undefined ? {} : { resultType: "complete" };
  if (!changed) return { ...exact, result: { ...result, content: around(asList(result.content)) } };
  if (delivered.result.outcome !== shape.result.outcome) {
    // The response could not be checked. It becomes an error, so that no output schema applies.
    const content = around(textsOf(delivered.result.parts).map(textBlock));
    return { ...exact, error: undefined, result: { ...kind, content, isError: true } };
  }
  const { structuredContent: _structured, ...rest } = result;
  const structured = structuredAfter(shape, delivered, result.structuredContent);
  const content = contentAfter(asList(result.content), shape, delivered.result.parts);
  const more = Array.isArray(result.content) || shape.structured !== undefined ? rest : kind;
  const changedResult = { ...more, content: around(content) };
  return {
    ...exact,
    result: structured === undefined ? changedResult : { ...changedResult, structuredContent: structured },
  };
}

function contentAfter(blocks: readonly Json[], { structured }: ResultShape, parts: readonly Part[]): readonly Json[] {
  const apart = structured !== undefined && structured.repeat === undefined;
  const given = blocks.length + (apart ? 1 : 0);
  // The parts were cut as one text; pictures keep their order.
  if (parts.length !== given) {
    const pictures = blocks.filter((block) => partOfBlock(block).kind === "image");
    return parts.flatMap((part) => (part.kind === "image" ? (pictures.shift() ?? []) : textsOf([part]).map(textBlock)));
  }
  const content = parts.slice(0, blocks.length).map((part, at) => blockAfter(blocks[at] ?? null, part));
  const own = apart ? parts[structured.at] : undefined;
  // A cut part is a text with a notice for the model.
  return own?.kind === "text" ? [...content, textBlock(own.text)] : content;
}

function blockAfter(block: Json, part: Part): Json {
  const before = partOfBlock(block);
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
  exact: Json | undefined,
): JsonObject | undefined {
  if (structured === undefined) return undefined;
  const value = withoutDirectives(structured.value);
  const part = parts.length === result.parts.length ? parts[structured.at] : undefined;
  // Only the directives are gone, so the server's own numbers can stay digit for digit.
  if (part?.kind === "json" && isSameJson(part.value, value)) return withoutDirectives(asObject(exact));
  if (part?.kind === "json" && isObject(part.value)) return part.value;
  const { repeat } = structured;
  // Read back from the delivered text, in which Conduct's own tags are neutralised.
  if (repeat === undefined || part?.kind !== "text") return outlineOf(value);
  return repeat.as === "field" ? { [repeat.name]: part.text } : (parseObjectExactly(part.text) ?? outlineOf(value));
}

function withoutDirectives(value: JsonObject): JsonObject {
  return asObject(splitDirectives(value).rest);
}

function parseObjectExactly(text: string): JsonObject | undefined {
  return parseObject(text) === undefined ? undefined : asObject(parseExactly(text));
}

function textsOf(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === "text") return [part.text];
    return part.kind === "json" ? [JSON.stringify(part.value)] : [];
  });
}

/** Maximum characters of an outline, and of one text in it. */
const OUTLINE = 2_000;
const TEXT = 120;

/** How a text repeats structured content: as JSON, or as the value of its only field. */
type Repeat = { readonly as: "json" } | { readonly as: "field"; readonly name: string };

/** Whether a text only repeats the structured content, as MCP recommends. Then both are counted and cut once. */
function repeatOf(text: string, structured: JsonObject): Repeat | undefined {
  const [field, ...more] = Object.entries(structured);
  if (field !== undefined && more.length === 0 && field[1] === text) return { as: "field", name: field[0] };
  const said = text.trimStart().startsWith("{") ? parseObject(text) : undefined;
  return said !== undefined && canonicalJson(said) === canonicalJson(structured) ? { as: "json" } : undefined;
}

/**
 * Structured content cut to size. A client may validate it against the tool's output schema, so its shape stays: texts and
 * lists get shorter until it is small.
 */
function outlineOf(structured: JsonObject): JsonObject {
  for (let most = 16; most >= 1; most = Math.floor(most / 2)) {
    const outline = outlineObject(structured, most);
    if (JSON.stringify(outline).length <= OUTLINE) return outline;
  }
  const bare = outlineObject(structured, 0);
  return JSON.stringify(bare).length <= OUTLINE ? bare : {};
}

function outlineObject(value: JsonObject, most: number): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [neutraliseTags(key), outline(one ?? null, most)]),
  );
}

function outline(value: Json, most: number): Json {
  if (typeof value === "string") return neutraliseTags(cutGraphemes(value, Math.min(TEXT, TEXT * most)));
  if (typeof value !== "object" || value === null) return value;
  return isObject(value)
    ? outlineObject(value, most)
    : asList(value)
        .slice(0, most)
        .map((one) => outline(one, most));
}

/** The outcome by the server's response. Anything but a tool result is `unknown`. */
function outcomeOf(response: JsonObject): Outcome {
  if (Object.hasOwn(response, "error")) return "failed";
  const { result } = response;
  if (!isObject(result)) return "unknown";
  if (result.isError === true) return "failed";
  if (result.resultType !== undefined && result.resultType !== "complete") return "unknown";
  const shaped = Array.isArray(result.content) || isObject(result.structuredContent);
  return shaped && (result.isError === undefined || result.isError === false) ? "ok" : "unknown";
}

/** The task of a call: its result comes later. */
export function taskOf(response: JsonObject): string | undefined {
  const result = asObject(response.result);
  const { taskId } = result.resultType === "task" ? result : asObject(result.task);
  return typeof taskId === "string" && !Array.isArray(result.content) ? taskId : undefined;
}
