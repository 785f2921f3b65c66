import type {
  AfterToolCallContext,
  AfterToolCallResult,
  AgentMessage,
  AgentTool,
  BeforeToolCallContext,
  BeforeToolCallResult,
} from "@earendil-works/pi-agent-core";
import type { Api, AssistantMessage, Message, Model, SystemMessage } from "@earendil-works/pi-ai";
import { asObject, isObject } from "../../../../base/kernel/json.ts";
import type { CallInput, Outcome } from "../../../../base/words/call.ts";
import type { Decision } from "../../../../base/words/decision.ts";
import type { Notice } from "../../../../base/words/event.ts";
import type { Json, JsonObject } from "../../../../base/words/json.ts";
import type { ToolResult } from "../../../../base/words/result.ts";
import type { ConductTool } from "../../../../engine/tools/conduct-tool.ts";
import { type Block, blockOf, joinTexts, partOf, requirementsIn, textBlock } from "../content.ts";
import { refusalOf, undecided as undecidedText, withheldText } from "../refusals.ts";
import { replaceArgs } from "../tool-args.ts";
import { rewriteMapped, type ToolMap } from "./tool-map.ts";

/** A call and a result as the hooks get them, without the transcript. */
export type CallContext = Omit<BeforeToolCallContext, "context">;
export type ResultContext = Omit<AfterToolCallContext, "context">;

/** A call as Pi is about to run it: `args` are validated, `native` is the model's original input. */
export function callInputOf(context: CallContext, step: string, map: ToolMap): CallInput {
  const { toolCall, args } = context;
  if (!isObject(args)) throw new Error(`the arguments of '${toolCall.name}' are not an object`);
  const { name, namespace, arguments: input } = toolCall;
  const mapped = map(name, args);
  const tool = namespace !== undefined && mapped.tool === name ? `${namespace}/${name}` : mapped.tool;
  const native = { runtime: "pi", server: namespace, name, input: input as Json };
  return { ...mapped, id: callIdOf(context), tool, step, native };
}

/**
 * Changes the arguments in place as rewritten by rules. Returns the names of those that cannot be changed; then none
 * is.
 */
export function rewriteArgs(
  { toolCall, args }: Pick<CallContext, "toolCall" | "args">,
  call: CallInput,
  wanted: JsonObject,
  map: ToolMap,
): readonly string[] {
  if (!isObject(args)) return Object.keys(wanted);
  const rewritten = rewriteMapped({ name: toolCall.name, input: args, args: call.args }, wanted, map);
  if ("cannot" in rewritten) return rewritten.cannot;
  replaceArgs(args, rewritten.input);
  return [];
}

/** The model's own id: with OpenAI Responses Pi appends the id of the call's item. */
export function callIdOf({ assistantMessage, toolCall }: Pick<CallContext, "assistantMessage" | "toolCall">) {
  const end = assistantMessage.api.endsWith("-responses") ? toolCall.id.indexOf("|") : -1;
  return end > 0 ? toolCall.id.slice(0, end) : toolCall.id;
}

/** `undefined` lets the call run. */
export function answerTo(decision: Decision, feedback?: string): BeforeToolCallResult | undefined {
  if (decision.kind === "allow") return undefined;
  return blocked(joinTexts([refusalOf(decision), feedback]), decision.kind === "deny" && decision.endTurn);
}

/** A call that could not be decided is denied. */
export function undecided(error: unknown): BeforeToolCallResult {
  return blocked(undecidedText(error), false);
}

/** Answers calls after the one that ended the turn. */
export function afterTheEnd(): BeforeToolCallResult {
  return blocked("Not run: an earlier call of this response was refused too often, and the turn ends here.", true);
}

function blocked(reason: string, terminate: boolean): BeforeToolCallResult {
  return terminate ? { block: true, reason, terminate } : { block: true, reason };
}

export function resultOf({ result, isError }: ResultContext, tool: string, aborted: boolean): ToolResult {
  // Untyped tools may omit the content.
  const content = (result.content as Block[] | undefined) ?? [];
  const parts = content.map(partOf);
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  const details = result.details as unknown;
  return { ...outcomeOf(tool, { isError, aborted, details, text }), parts, requirements: requirementsIn(details) };
}

/** Replaces a result that could not be checked. */
export function withheld(error: unknown): AfterToolCallResult {
  return { content: [textBlock(withheldText(error))], isError: true };
}

/** The stop reason in the terms that checkers use for every runtime. */
export function stopReasonOf({ stopReason }: Pick<AssistantMessage, "stopReason">): string {
  const names: Readonly<Record<string, string>> = { stop: "end_turn", length: "max_tokens", toolUse: "tool_use" };
  return names[stopReason] ?? stopReason;
}

/** The model and its window; in Pi, 0 means an unknown window. */
export function startedNotice(model: Model<Api>): Notice {
  const { provider, id, name, contextWindow, reasoning: reasons } = model;
  // An own model is its own provider.
  const full = provider === name ? name : `${provider}/${id}`;
  return { kind: "started", adapter: "pi", model: full, window: contextWindow || undefined, reasons };
}

/** The text of a message, without its thinking, calls and pictures. */
export function textOf({ content }: Pick<Message, "content">): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** The transcript with Conduct's prompt after the application's own system message. */
export function withPrompt(messages: readonly AgentMessage[], prompt: string): AgentMessage[] {
  const [head, ...rest] = messages;
  if (prompt === "") return [...messages];
  if (head?.role !== "system") return [{ role: "system", content: prompt, timestamp: 0 }, ...messages];
  const own = textOf(head);
  return [{ ...head, content: own === "" ? prompt : `${own}\n\n${prompt}` }, ...rest];
}

type Executed = {
  readonly isError: boolean;
  readonly aborted: boolean;
  readonly details: unknown;
  /** The result's text; Pi's own shell tool ends it with the exit code when that is not 0. */
  readonly text: string;
};

const EXITED = /Command exited with code (\d+)\s*$/;

/** In Pi a failing tool throws; an exit code in `details` counts as well. */
export function outcomeOf(tool: string, executed: Executed): { readonly outcome: Outcome; readonly exitCode?: number } {
  const code = exitCodeOf(tool, executed);
  const exitCode = code ?? undefined;
  if (executed.isError) return { outcome: executed.aborted ? "cancelled" : "failed", exitCode };
  return { outcome: code === undefined || code === 0 ? "ok" : "failed", exitCode };
}

/** `null` for a command that was killed, `undefined` when there is none. */
function exitCodeOf(tool: string, { isError, details, text }: Executed): number | null | undefined {
  const { exitCode } = asObject(details);
  if (typeof exitCode === "number" || exitCode === null) return exitCode;
  // Only for an error: the command's own output must not decide.
  const match = isError && tool === "shell" ? EXITED.exec(text.slice(-80)) : null;
  return match === null ? undefined : Number(match[1]);
}

/** Conduct's tool as one of Pi's; its calls pass the moments `call` and `result`. */
export function asAgentTool(tool: ConductTool): AgentTool {
  return {
    name: tool.name,
    label: tool.name,
    description: tool.description,
    parameters: tool.inputSchema,
    async execute(_id, params) {
      const { outcome, parts } = await tool.run(params as JsonObject);
      const content = parts.map(blockOf);
      // In Pi a failing tool throws.
      if (outcome !== "ok") throw new Error(textOf({ content }));
      return { content, details: undefined };
    },
  };
}

export function withTools(head: SystemMessage, tools: readonly AgentTool[]): SystemMessage {
  const declared = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return { ...head, toolsAdded: [...(head.toolsAdded ?? []), ...declared] };
}
