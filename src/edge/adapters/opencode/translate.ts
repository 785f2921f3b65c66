import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Advice, Question } from "../../../base/words/decision.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { DIRECTIVES } from "../../../behavior/policy/builtin/requirements.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import type { Delivered } from "../../../engine/moments/result.ts";
import { blockOf, exitResult, joinTexts, numberOf, partOfBlock, requirementsIn, textBlock } from "../shared/content.ts";
import type { MessagePart } from "./native.ts";

/** Whether the person typed it: attached files and OpenCode's own hints are marked parts. */
export function isTyped({ type, text, synthetic, ignored }: MessagePart): boolean {
  return type === "text" && typeof text === "string" && synthetic !== true && ignored !== true;
}

/** Shown to the person while the call waits: OpenCode shows no reason by itself. */
export function waitingText({ question, approval, answer = `conduct approve ${approval}` }: Question): string {
  return `A call needs your approval: ${question}\nTo approve: ${answer}`;
}

export const TURN_ENDED = "Not run: Conduct has ended this turn. Tell the person what happened, and stop.";

/** The fields of OpenCode's own result to set; `undefined` leaves it unchanged. */
export function outputChange(output: unknown, delivered: Delivered, advice: readonly Advice[]): JsonObject | undefined {
  const given = asObject(output);
  if (Array.isArray(given.content)) return contentChange(given, delivered, advice);
  const { changed, result, feedback } = delivered;
  if (!changed && feedback === undefined && advice.length === 0) return undefined;
  const texts = result.parts.filter(({ kind }) => kind !== "image");
  const own = changed ? shownText(texts) : asString(given.output);
  const whole = joinTexts([...advice.map(({ text }) => text), own, feedback]);
  const keeps = !changed || result.parts.length > texts.length || given.attachments === undefined;
  return keeps ? { output: whole } : { output: whole, attachments: [] };
}

/** The same for an MCP server's result. Requirements are removed from its structured content. */
function contentChange(
  given: JsonObject,
  { changed, result, feedback }: Delivered,
  advice: readonly Advice[],
): JsonObject | undefined {
  const structured = given.structuredContent;
  const required = isObject(structured) && Object.hasOwn(structured, DIRECTIVES);
  const { [DIRECTIVES]: _, ...rest } = asObject(structured);
  const without: JsonObject = required ? { structuredContent: rest } : {};
  if (!changed && feedback === undefined && advice.length === 0) return required ? without : undefined;
  const own = changed ? result.parts.map(contentOf) : asList(given.content);
  const before = advice.map((one) => textBlock(one.text));
  const more = feedback === undefined ? [] : [textBlock(feedback)];
  const content = isCutByOpencode(own) ? [...before, ...more, ...own] : [...before, ...own, ...more];
  return { content, ...without };
}

/** After the hook OpenCode cuts a server's result at 2,000 lines or 50 kB; this leaves some margin. */
function isCutByOpencode(content: readonly Json[]): boolean {
  const text = content.map((part) => asString(asObject(part).text)).join("\n\n");
  return Buffer.byteLength(text) > 40_000 || text.split("\n").length > 1_500;
}

function contentOf(part: Part): JsonObject {
  if (part.kind === "image") return blockOf(part);
  // A block of another kind, such as a resource, is unchanged.
  if (part.kind === "json" && isObject(part.value) && typeof part.value.type === "string") return part.value;
  return textBlock(shownText([part]));
}

/** Tokens and cost of one model response; cached input counts as input. */
export function usageNotice(part: JsonObject): Notice {
  const tokens = asObject(part.tokens);
  const cache = asObject(tokens.cache);
  const count = (value: Json | undefined) => numberOf(value) ?? 0;
  const cost = count(part.cost);
  return {
    kind: "usage",
    inputTokens: count(tokens.input) + count(cache.read) + count(cache.write),
    outputTokens: count(tokens.output) + count(tokens.reasoning),
    cost: cost > 0 ? cost : undefined,
  };
}

/** The stop reason in the terms that checkers use for every runtime. */
export function stopReason(finish: string | undefined): string {
  const names: Readonly<Record<string, string>> = { stop: "end_turn", length: "max_tokens" };
  return names[finish ?? "stop"] ?? finish ?? "end_turn";
}

const TASK_RESULT = /(<task_result>\n)[\s\S]*(\n<\/task_result>)/;

/** A subagent's result with its last answer in place of an earlier one. */
export function withTaskAnswer(output: string, answer: string): string {
  return TASK_RESULT.test(output)
    ? output.replace(TASK_RESULT, (_, open, close) => `${open}${answer}${close}`)
    : answer;
}

/** The result of a finished tool: an MCP server's has `content`, every other `output` and `metadata`. */
export function resultOf(tool: string, output: unknown): ToolResult {
  const given = asObject(output);
  if (Array.isArray(given.content)) {
    const { content, structuredContent, isError } = given;
    const parts = asList(content).map(partOfBlock);
    return { outcome: isError === true ? "failed" : "ok", parts, requirements: requirementsIn(structuredContent) };
  }
  const text: Part = { kind: "text", text: asString(given.output) };
  const pictures = asList(given.attachments).flatMap(pictureOf);
  return { ...outcomeOf(tool, asObject(given.metadata)), parts: [text, ...pictures] };
}

/** A failing tool of OpenCode's throws; a command has an exit code, `null` when it was killed. */
function outcomeOf(tool: string, { exit, error }: JsonObject): Pick<ToolResult, "outcome" | "exitCode"> {
  if (tool === "invalid" || error === true) return { outcome: "failed" };
  if (tool !== "bash") return { outcome: "ok" };
  return exitResult(exit === null ? null : numberOf(exit));
}

/** The result of a call that ended in an error: OpenCode calls no hook after it. */
export function failedResult(state: JsonObject): ToolResult {
  const text = asString(state.error);
  const parts: readonly Part[] = [{ kind: "text", text }];
  if (asObject(state.metadata).interrupted === true) return { outcome: "cancelled", parts };
  // OpenCode's own permissions: a person or a rule of its configuration refused.
  const denied = /^The user (rejected permission to use|has specified a rule which prevents)/.test(text);
  return { outcome: denied ? "denied" : "failed", parts };
}

function pictureOf(attachment: Json): readonly Part[] {
  const url = /^data:(image\/[^;,]+);base64,(.*)$/s.exec(asString(asObject(attachment).url));
  return url === null ? [] : [{ kind: "image", mime: url[1] ?? "", data: url[2] ?? "" }];
}
