import { asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Advice } from "../../../base/words/decision.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { Json } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { splitDirectives } from "../../../behavior/policy/builtin/requirements.ts";
import type { Delivered } from "../../../engine/moments/result.ts";

/** A content block of Pi, OpenClaw and MCP. */
export type Block = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

export function textBlock(text: string): Extract<Block, { type: "text" }> {
  return { type: "text", text };
}

export function blockOf(part: Part): Block {
  switch (part.kind) {
    case "text":
      return textBlock(part.text);
    case "json":
      return textBlock(JSON.stringify(part.value));
    case "image":
      return { type: "image", data: part.data, mimeType: part.mime };
    case "bytes":
      return textBlock(`[${part.bytes.length} bytes]`);
  }
}

export function partOf(block: Block): Part {
  return block.type === "text"
    ? { kind: "text", text: block.text }
    : { kind: "image", mime: block.mimeType, data: block.data };
}

/** A content block of MCP, Claude or OpenAI as a part. A block of another kind stays JSON. */
export function partOfBlock(block: Json): Part {
  const { type, text, data, blob, mimeType, source, resource, image_url } = asObject(block);
  if (type === "resource" && isObject(resource)) {
    const inner = partOfBlock({ ...resource, type: typeof resource.text === "string" ? "text" : "image" });
    return inner.kind === "json" ? { kind: "json", value: block } : inner;
  }
  if (typeof text === "string" && /text$/.test(asString(type))) return { kind: "text", text };
  const { data: own = data ?? blob, media_type = mimeType } = asObject(source);
  const isMedia = type === "image" || type === "audio";
  if (isMedia && typeof own === "string") return { kind: "image", mime: asString(media_type), data: own };
  const [, mime, encoded] = /^data:([^;,]+);base64,(.*)$/s.exec(asString(image_url)) ?? [];
  if (mime !== undefined && encoded !== undefined) return { kind: "image", mime, data: encoded };
  return { kind: "json", value: block };
}

/** The outcome of a command. `undefined`: its exit code is not reported. `null`: it was killed. */
export function exitResult(exit: number | null | undefined): Pick<ToolResult, "outcome" | "exitCode"> {
  if (exit === undefined) return { outcome: "unknown" };
  if (exit === null) return { outcome: "failed" };
  return { outcome: exit === 0 ? "ok" : "failed", exitCode: exit };
}

/** The content for the model: advice, the delivered result, feedback. `undefined` if nothing changes. */
export function deliveredBlocks(
  given: readonly Block[],
  delivered: Delivered,
  advice: readonly Advice[],
): Block[] | undefined {
  const { changed, result, feedback } = delivered;
  if (!changed && feedback === undefined && advice.length === 0) return undefined;
  const own = changed ? result.parts.map(blockOf) : given;
  return [
    ...advice.map(({ text }) => textBlock(text)),
    ...own,
    ...(feedback === undefined ? [] : [textBlock(feedback)]),
  ];
}

export function feedbackOf({ feedback }: Delivered): readonly string[] {
  return feedback === undefined ? [] : [feedback];
}

/** The texts that are not empty, as paragraphs. */
export function joinTexts(texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== "").join("\n\n");
}

/** The requirements that a tool sets for later calls, from its structured content, which the model never sees. */
export function requirementsIn(structured: unknown): readonly unknown[] | undefined {
  const { directives } = splitDirectives(structured as Json);
  return directives.length === 0 ? undefined : directives;
}

/** Removes the first `length` characters of all texts together, each counted as separate lines. */
export function withoutStart(texts: readonly string[], length: number): readonly string[] {
  let left = length;
  return texts.map((text) => {
    const cut = Math.min(left, text.length);
    left = Math.max(0, left - text.length - 1);
    return text.slice(cut);
  });
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Tokens and cost of one model response; cached input counts as input. `undefined` when the provider reports nothing. */
export function usageNotice(usage: unknown): Notice | undefined {
  if (!isObject(usage)) return undefined;
  const { input, cacheRead, cacheWrite, output } = usage;
  const inputTokens = (numberOf(input) ?? 0) + (numberOf(cacheRead) ?? 0) + (numberOf(cacheWrite) ?? 0);
  const outputTokens = numberOf(output) ?? 0;
  const cost = numberOf(asObject(usage.cost).total) ?? 0;
  return inputTokens + outputTokens + cost === 0 ? undefined : { kind: "usage", inputTokens, outputTokens, cost };
}
