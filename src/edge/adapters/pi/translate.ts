import type {
  AfterToolCallContext,
  AfterToolCallResult,
  AgentMessage,
  BeforeToolCallContext,
  BeforeToolCallResult,
} from "@earendil-works/pi-agent-core";
import type { Api, AssistantMessage, ImageContent, Message, Model, TextContent, Usage } from "@earendil-works/pi-ai";
import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Advice, Decision } from "../../../base/words/decision.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { DIRECTIVES } from "../../../behavior/policy/builtin/requirements.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { Delivered } from "../../../engine/moments/session.ts";
import { changedNames, rewriteInput } from "../rewrite-input.ts";
import { outcomeOf } from "./outcome-map.ts";
import type { ToolMap } from "./tool-map.ts";

type Content = (TextContent | ImageContent)[];

/** A call and a result as the hooks get them; the transcript beside them is not needed. */
export type CallContext = Omit<BeforeToolCallContext, "context">;
export type ResultContext = Omit<AfterToolCallContext, "context">;

/** A call as Pi is about to run it: `args` are the validated ones, `native` keeps what the model wrote. */
export function callInputOf(context: CallContext, step: string, map: ToolMap): CallInput {
  const { toolCall, args } = context;
  if (!isObject(args)) throw new Error(`the arguments of '${toolCall.name}' are not an object`);
  const { name, namespace, arguments: input } = toolCall;
  const mapped = map(name, args);
  const tool = namespace !== undefined && mapped.tool === name ? `${namespace}/${name}` : mapped.tool;
  const native = {
    runtime: "pi",
    ...(namespace === undefined ? {} : { server: namespace }),
    name,
    input: input as Json,
  };
  return { ...mapped, id: callIdOf(context), tool, step, native };
}

/**
 * Puts the arguments as rules have rewritten them into those that Pi is about to run: the hook can change them in place.
 * Returns what cannot be carried; then nothing is changed. A tool map may rename, so the way back is checked through it.
 */
export function rewriteArgs(
  { toolCall, args }: Pick<CallContext, "toolCall" | "args">,
  call: CallInput,
  wanted: JsonObject,
  map: ToolMap,
): readonly string[] {
  if (!isObject(args)) return Object.keys(wanted);
  const rewritten = rewriteInput(args, call.args, wanted, "same");
  if ("cannot" in rewritten) return rewritten.cannot;
  const run = map(toolCall.name, rewritten.input).args;
  const lost = changedNames(run, wanted);
  if (lost.length > 0) return lost;
  for (const name of Object.keys(args)) if (!Object.hasOwn(rewritten.input, name)) Reflect.deleteProperty(args, name);
  Object.assign(args, rewritten.input);
  return [];
}

/** The id as the model gave it: over OpenAI Responses Pi appends the id of the item that the call came in. */
export function callIdOf({ assistantMessage, toolCall }: Pick<CallContext, "assistantMessage" | "toolCall">) {
  const end = assistantMessage.api.endsWith("-responses") ? toolCall.id.indexOf("|") : -1;
  return end > 0 ? toolCall.id.slice(0, end) : toolCall.id;
}

/** `undefined` lets the call run. A question that nobody was there to answer blocks like a denial. */
export function answerTo(decision: Decision, feedback?: string): BeforeToolCallResult | undefined {
  if (decision.kind === "allow") return undefined;
  const text = decision.kind === "deny" ? renderDenial(decision) : renderQuestion(decision);
  return blocked(
    feedback === undefined ? text : `${text}\n\n${feedback}`,
    decision.kind === "deny" && decision.endTurn,
  );
}

/** Nothing runs that was not decided: what went wrong on the way is a denial. */
export function undecided(error: unknown): BeforeToolCallResult {
  return blocked(
    `Denied by conduct: Conduct failed, and this call could not be decided: ${errorText(error)}.\nNext: tell the operator; nothing was run.`,
    false,
  );
}

/** For the calls after the one that ended the turn, in the same model response. */
export function afterTheEnd(): BeforeToolCallResult {
  return blocked("Not run: an earlier call of this response was refused too often, and the turn ends here.", true);
}

function blocked(reason: string, terminate: boolean): BeforeToolCallResult {
  return { block: true, reason, ...(terminate ? { terminate } : {}) };
}

/** What a tool gave, with its outcome. */
export function resultOf({ result, isError }: ResultContext, tool: string, aborted: boolean): ToolResult {
  // Untyped tools may leave the content out; Pi takes that for none.
  const content = (result.content as Content | undefined) ?? [];
  const parts = content.map(partOf);
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  const details = result.details as unknown;
  // The structured side of a tool's result in Pi, which the model never sees.
  const requirements = isObject(details) ? details[DIRECTIVES] : undefined;
  const required = requirements === undefined ? {} : { requirements };
  return { ...outcomeOf(tool, { isError, aborted, details, text }), parts, ...required };
}

/** What the model gets instead of the tool's own content; `undefined` leaves that as it is. */
export function overrideOf(delivered: Delivered, advice: readonly Advice[]): AfterToolCallResult | undefined {
  const { result, changed, feedback } = delivered;
  if (!changed && feedback === undefined && advice.length === 0) return undefined;
  const texts = advice.map(({ text }) => textContent(text));
  return {
    content: [...texts, ...contentOf(result.parts), ...(feedback === undefined ? [] : [textContent(feedback)])],
  };
}

/** The uncut, unchecked result never passes: what went wrong on the way stands in its place. */
export function withheld(error: unknown): AfterToolCallResult {
  const text = `[The tool ran, but its result is withheld: ${errorText(error)}. Tell the operator.]`;
  return { content: [textContent(text)], isError: true };
}

/** Parts as Pi's content blocks. */
export function contentOf(parts: readonly Part[]): Content {
  return parts.map(blockOf);
}

function blockOf(part: Part): TextContent | ImageContent {
  switch (part.kind) {
    case "text":
      return textContent(part.text);
    case "json":
      return textContent(JSON.stringify(part.value));
    case "image":
      return { type: "image", data: part.data, mimeType: part.mime };
    case "bytes":
      return textContent(`[${part.bytes.length} bytes]`);
  }
}

function partOf(block: TextContent | ImageContent): Part {
  return block.type === "text"
    ? { kind: "text", text: block.text }
    : { kind: "image", mime: block.mimeType, data: block.data };
}

function textContent(text: string): TextContent {
  return { type: "text", text };
}

/** Why Pi's agent stops, in the words checkers know from every runtime. */
export function stopReasonOf({ stopReason }: Pick<AssistantMessage, "stopReason">): string {
  const names: Readonly<Record<string, string>> = { stop: "end_turn", length: "max_tokens", toolUse: "tool_use" };
  return names[stopReason] ?? stopReason;
}

/** Which model is called, and how much it can take; a window of 0 means that Pi does not know. */
export function startedNotice(model: Model<Api>): Notice {
  const window = model.contextWindow > 0 ? { window: model.contextWindow } : {};
  return { kind: "started", adapter: "pi", model: `${model.provider}/${model.id}`, ...window };
}

/** Everything the model read counts as input, cached or not. `undefined` when the provider reports nothing. */
export function usageNotice(usage: Usage): Notice | undefined {
  const inputTokens = usage.input + usage.cacheRead + usage.cacheWrite;
  const cost = usage.cost.total;
  if (inputTokens === 0 && usage.output === 0 && cost === 0) return undefined;
  return { kind: "usage", inputTokens, outputTokens: usage.output, cost };
}

/** The text of a message, without its thinking, calls and pictures. */
export function textOf({ content }: Pick<Message, "content">): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** The transcript with Conduct's prompt at its head, after what the application itself says there. */
export function withPrompt(messages: readonly AgentMessage[], prompt: string): AgentMessage[] {
  const [head, ...rest] = messages;
  if (prompt === "") return [...messages];
  if (head?.role !== "system") return [{ role: "system", content: prompt, timestamp: 0 }, ...messages];
  const own = textOf(head);
  return [{ ...head, content: own === "" ? prompt : `${own}\n\n${prompt}` }, ...rest];
}
