import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Advice, Decision, Question } from "../../../base/words/decision.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part } from "../../../base/words/result.ts";
import { DIRECTIVES } from "../../../behavior/policy/builtin/requirements.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import { shownText } from "../../../behavior/results/shown-text.ts";
import type { Delivered } from "../../../engine/moments/result.ts";
import type { MessagePart } from "./native.ts";

/** What the person typed: a file that was attached and hints of OpenCode's own are parts too, but marked. */
export function isTyped({ type, text, synthetic, ignored }: MessagePart): boolean {
  return type === "text" && typeof text === "string" && synthetic !== true && ignored !== true;
}

/** The texts without the first characters of all of them, each on lines of its own. */
export function withoutStart(texts: readonly string[], length: number): readonly string[] {
  let left = length;
  return texts.map((text) => {
    const cut = Math.min(left, text.length);
    left = Math.max(0, left - text.length - 1);
    return text.slice(cut);
  });
}

/** What the model reads in place of a result; `undefined` lets the call run. Nobody can be asked from inside a hook. */
export function refusalOf(decision: Decision): string | undefined {
  if (decision.kind === "allow") return undefined;
  return decision.kind === "deny" ? renderDenial(decision) : renderQuestion(decision);
}

/** For the person, while the call waits for them: nothing else in OpenCode says why it stands still. */
export function waitingText({ question, approval, answer = `conduct approve ${approval}` }: Question): string {
  return `A call waits for you: ${question}\nYes: ${answer}`;
}

/** For the calls that come after the one that has ended the turn. */
export const TURN_ENDED = "Not run: Conduct has ended this turn. Tell the person what happened, and stop.";

/** What a call gives the model, as one text: advice on it, the result, feedback. */
export function resultText(text: string, advice: readonly Advice[], feedback: string | undefined): string {
  return [...advice.map((one) => one.text), text, ...(feedback === undefined ? [] : [feedback])]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** What of OpenCode's own result has to be set; `undefined` leaves it as it is. */
export function outputChange(
  output: unknown,
  { changed, result, feedback }: Delivered,
  advice: readonly Advice[],
): JsonObject | undefined {
  const given = asObject(output);
  if (Array.isArray(given.content)) return contentChange(given, { changed, result, feedback }, advice);
  if (!changed && feedback === undefined && advice.length === 0) return undefined;
  const texts = result.parts.filter(({ kind }) => kind !== "image");
  const whole = resultText(changed ? shownText(texts) : asString(given.output), advice, feedback);
  const keeps = !changed || result.parts.length > texts.length || given.attachments === undefined;
  return { output: whole, ...(keeps ? {} : { attachments: [] }) };
}

/** An MCP server's result. What it requires is taken out of its structured side, whoever may be shown that. */
function contentChange(
  given: JsonObject,
  { changed, result, feedback }: Pick<Delivered, "changed" | "result"> & { readonly feedback: string | undefined },
  advice: readonly Advice[],
): JsonObject | undefined {
  const structured = given.structuredContent;
  const required = isObject(structured) && Object.hasOwn(structured, DIRECTIVES);
  const { [DIRECTIVES]: _, ...rest } = asObject(structured);
  const without: { structuredContent?: JsonObject } = required ? { structuredContent: rest } : {};
  if (!changed && feedback === undefined && advice.length === 0) return required ? { ...without } : undefined;
  const own = changed ? result.parts.map(contentOf) : asList(given.content);
  const before = advice.map((one) => textContent(one.text));
  const more = feedback === undefined ? [] : [textContent(feedback)];
  const content = isCutByOpencode(own) ? [...before, ...more, ...own] : [...before, ...own, ...more];
  return { content, ...without };
}

/** OpenCode keeps the beginning of a server's result that is longer, after the hook: 2,000 lines, 50 kB. Generous. */
function isCutByOpencode(content: readonly Json[]): boolean {
  const text = content.map((part) => asString(asObject(part).text)).join("\n\n");
  return Buffer.byteLength(text) > 40_000 || text.split("\n").length > 1_500;
}

function contentOf(part: Part): JsonObject {
  if (part.kind === "image") return { type: "image", mimeType: part.mime, data: part.data };
  // A block of another kind, such as a resource, came as it is.
  if (part.kind === "json" && isObject(part.value) && typeof part.value.type === "string") return part.value;
  return textContent(shownText([part]));
}

function textContent(text: string): JsonObject {
  return { type: "text", text };
}

/** Tokens and cost of one model response. Everything the model read counts as input, cached or not. */
export function usageNotice(part: JsonObject): Notice {
  const tokens = asObject(part.tokens);
  const cache = asObject(tokens.cache);
  const cost = number(part.cost);
  return {
    kind: "usage",
    inputTokens: number(tokens.input) + number(cache.read) + number(cache.write),
    outputTokens: number(tokens.output) + number(tokens.reasoning),
    ...(cost > 0 ? { cost } : {}),
  };
}

function number(value: Json | undefined): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Why OpenCode's agent stops, in the words checkers know from every runtime. */
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
