import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Advice, Decision } from "../../../base/words/decision.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { DIRECTIVES } from "../../../behavior/policy/builtin/requirements.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { Delivered } from "../../../engine/moments/result.ts";
import { type Rewritten, rewriteInput } from "../rewrite-input.ts";
import type { Block, ToolCallEvent, ToolResultEvent } from "./native.ts";
import { outcomeOf } from "./outcome-map.ts";
import { carriersOf, mapTool, type Place } from "./tool-map.ts";

/** A call as OpenClaw is about to run it. Throws when it has no id: its result could not be told from others. */
export function callInputOf(event: ToolCallEvent, step: string | undefined, place: Place): CallInput {
  const { toolName, params, toolCallId } = event;
  if (toolCallId === undefined || toolCallId === "") throw new Error(`OpenClaw gives the call of '${toolName}' no id`);
  const mapped = mapTool(event, place);
  const [server] = mapped.tool.split("/");
  const served = mapped.tool.includes("/") && server !== "openclaw" ? { server: server ?? "" } : {};
  return {
    ...mapped,
    id: toolCallId,
    ...(step === undefined ? {} : { step }),
    native: { runtime: "openclaw", ...served, name: toolName, input: params as Json },
  };
}

/** OpenClaw's own input with what rules have changed in it. */
export function rewriteParams(event: ToolCallEvent, call: CallInput, wanted: JsonObject): Rewritten {
  return rewriteInput(event.params as JsonObject, call.args, wanted, carriersOf(event));
}

/** Why it may not run, as the model reads it. */
export function refusalOf(decision: Exclude<Decision, { kind: "allow" }>): string {
  return decision.kind === "deny" ? renderDenial(decision) : renderQuestion(decision);
}

/** Nothing runs that was not decided: what went wrong on the way is a denial. */
export function undecided(error: unknown): string {
  return `Denied by conduct: Conduct could not decide on this call: ${errorText(error)}.\nNext: tell the operator; nothing was run.`;
}

/** What a tool gave, with its outcome. */
export function resultOf(event: ToolResultEvent, tool: string): ToolResult {
  const { content, details } = event.result;
  const parts = (content ?? []).map(partOf);
  // The structured side of a tool's result, which the model never sees.
  const requirements = isObject(details) ? details[DIRECTIVES] : undefined;
  return { ...outcomeOf(tool, event), parts, ...(requirements === undefined ? {} : { requirements }) };
}

/** What the model gets instead of the tool's own result; `undefined` leaves that as it is. */
export function deliveredResult(
  { result }: ToolResultEvent,
  delivered: Delivered,
  advice: readonly Advice[],
): ToolResultEvent["result"] | undefined {
  const { changed, feedback } = delivered;
  if (!changed && feedback === undefined && advice.length === 0) return undefined;
  const own = changed ? delivered.result.parts.map(blockOf) : result.content;
  const more = feedback === undefined ? [] : [textBlock(feedback)];
  return { ...result, content: [...advice.map(({ text }) => textBlock(text)), ...own, ...more] };
}

/** The uncut, unchecked result never passes: what went wrong on the way stands in its place. */
export function withheldResult({ result }: ToolResultEvent, error: unknown): ToolResultEvent["result"] {
  const text = `[The tool ran, but Conduct withholds its result: ${errorText(error)}. Tell the operator.]`;
  return { ...result, content: [textBlock(text)] };
}

/** Parts as OpenClaw's content blocks. */
export function blocksOf(parts: readonly Part[]): Block[] {
  return parts.map(blockOf);
}

function blockOf(part: Part): Block {
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

function partOf(block: Block): Part {
  return block.type === "text"
    ? { kind: "text", text: block.text }
    : { kind: "image", mime: block.mimeType, data: block.data };
}

function textBlock(text: string): Block {
  return { type: "text", text };
}

/** A message as it is written to the transcript, as far as Conduct looks at it. */
export type Written =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly string[];
      readonly usage: Notice | undefined;
    };

/** `undefined` for messages that are nobody's: results, and OpenClaw's own. */
export function readWritten(message: object): Written | undefined {
  const { role, content, usage } = message as { readonly [key: string]: unknown };
  if (role === "user") return { role, text: textOf(content) };
  if (role !== "assistant") return undefined;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const calls = blocks.flatMap(({ type, id }) => (type === "toolCall" && typeof id === "string" ? [id] : []));
  return { role, text: textOf(content), calls, usage: usageNotice(usage) };
}

/** The message with another text; its pictures stay. */
export function withText<M extends object>(message: M, text: string): M {
  const { content } = message as { readonly content?: unknown };
  if (!Array.isArray(content)) return { ...message, content: text };
  const others = content.filter((block) => !isObject(block) || block.type !== "text");
  return { ...message, content: [{ type: "text", text }, ...others] };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  return blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n");
}

/** Everything the model read counts as input, cached or not. `undefined` when the provider reports nothing. */
function usageNotice(usage: unknown): Notice | undefined {
  if (!isObject(usage)) return undefined;
  const [input, output, cacheRead, cacheWrite] = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite].map(
    (value) => (typeof value === "number" ? value : 0),
  ) as [number, number, number, number];
  const cost = isObject(usage.cost) && typeof usage.cost.total === "number" ? usage.cost.total : 0;
  const inputTokens = input + cacheRead + cacheWrite;
  if (inputTokens === 0 && output === 0 && cost === 0) return undefined;
  return { kind: "usage", inputTokens, outputTokens: output, cost };
}
