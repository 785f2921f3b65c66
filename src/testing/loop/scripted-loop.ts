import {
  anything,
  callback,
  checkOptions,
  having,
  listOf,
  number,
  object,
  optional,
  text,
} from "../../base/kernel/check-options.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import type { CallInput } from "../../base/words/call.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ThinkLevel } from "../../base/words/modes.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import { renderDenial, renderQuestion } from "../../behavior/policy/render-denial.ts";
import { shownText } from "../../behavior/results/result-text.ts";
import { withinLimit } from "../../engine/moments/gather.ts";
import type { Wait } from "../../engine/session/approvals.ts";
import type { SessionMoments } from "../../engine/session/session-moments.ts";

/** A tool that the loop can run. If it throws, the outcome is `failed`. */
export type LoopTool = (args: JsonObject) => ToolResult | Promise<ToolResult>;
type LoopTools = { readonly [name: string]: LoopTool };

/** A tool call of the model. */
export type LoopCall = Pick<CallInput, "id" | "tool" | "args">;
/** The model's text and its calls. */
export type LoopReply = { readonly text?: string; readonly calls?: readonly LoopCall[] };

/** A request to the scripted model: the prompt and the conversation so far. */
export type LoopRequest = {
  readonly system: string;
  readonly messages: readonly LoopMessage[];
  readonly thinking?: ThinkLevel;
};
/** One message of the conversation. */
export type LoopMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly LoopCall[] }
  | { readonly role: "result"; readonly callId: string; readonly text: string };

/** How long a call waits for a person, and for Conduct itself. */
type Patience = { readonly wait?: Wait; readonly limitMs?: number };
/** Longer than any question stays open. */
const LIMIT_MS = 15 * 60_000;

/** Answers a request. Stands in for a model. */
export type LoopModel = (request: LoopRequest) => LoopReply | Promise<LoopReply>;

/** How a turn ended. `answered`: Conduct answered the message itself, without the model. */
export type LoopEnd = {
  readonly messages: readonly LoopMessage[];
  readonly status: "complete" | "incomplete" | "bypassed" | "ended-by-policy" | "answered";
  /** For the person, never for the model: Conduct's replies, notes, debug lines. */
  readonly shown: readonly string[];
};

/**
 * The smallest agent runtime, and the reference for adapters: shows where each of the five moments belongs. The calls
 * of one reply run in sequence, as one step.
 */
export async function runScriptedLoop(
  options: {
    readonly session: SessionMoments;
    readonly model: LoopModel;
    readonly tools: LoopTools;
    readonly message: string;
    /** The conversation before this turn. Default: empty. */
    readonly history?: readonly LoopMessage[];
  } & Patience,
): Promise<LoopEnd> {
  checkOptions("runScriptedLoop", options, KEYS);
  const { session, model, tools, history } = options;
  if (history === undefined) session.notice({ kind: "started", adapter: "scripted-loop" });
  const { text, modes, reply: own, notes } = await session.onMessage({ text: options.message });
  const shown = [...notes];
  if (own !== undefined) return { messages: history ?? [], status: "answered", shown: [...shown, own] };
  const messages: LoopMessage[] = [...(history ?? []), { role: "user", text }];
  const end = (status: LoopEnd["status"]): LoopEnd => {
    const debug = session.takeDebug();
    return { messages, status, shown: debug === undefined ? shown : [...shown, debug] };
  };
  const { text: system } = await session.onPrompt({ tools: Object.keys(tools) });
  const thinking = modes.think ? { thinking: modes.thinkLevel ?? "medium" } : {};
  for (;;) {
    const reply = await model({ system, messages: [...messages], ...thinking });
    const calls = reply.calls ?? [];
    messages.push({ role: "assistant", text: reply.text ?? "", calls });
    if (calls.length === 0) {
      const stop = await askStop(session, reply.text);
      if (stop.done) return end(stop.status);
      messages.push({ role: "user", text: stop.feedback });
      continue;
    }
    for (const call of calls) {
      const { endTurn, text } = await playCall(session, { ...call, step: `of ${calls[0]?.id}` }, tools, options);
      messages.push({ role: "result", callId: call.id, text });
      if (endTurn) return end("ended-by-policy");
    }
    session.notice({ kind: "step-closed" });
  }
}

/** Allows the stop if Conduct is unreachable: every call is blocked then, so the agent would only spin. */
async function askStop(session: SessionMoments, output: string | undefined): Promise<StopDecision> {
  try {
    return await session.onStop({ reason: "end_turn", output });
  } catch (error) {
    return { done: true, status: "bypassed", why: errorText(error) };
  }
}

async function playCall(
  session: SessionMoments,
  call: CallInput,
  tools: LoopTools,
  { wait, limitMs = LIMIT_MS }: Patience,
): Promise<{ readonly endTurn: boolean; readonly text: string }> {
  let ran = false;
  try {
    const decided = await withinLimit(limitMs, () => session.decide(call, wait));
    if ("fault" in decided) throw new Error(decided.fault.message);
    const decision = decided.value;
    if (decision.kind === "deny") return { endTurn: decision.endTurn, text: renderDenial(decision) };
    if (decision.kind === "ask") {
      // Nobody can answer here: the question stays open, and the call is cancelled.
      await session.onResult(call, { outcome: "cancelled", parts: [] });
      return { endTurn: false, text: renderQuestion(decision) };
    }
    const made = { ...call, args: decision.input ?? call.args };
    ran = true;
    const { result, feedback } = await session.onResult(call, await runTool(tools[call.tool], made));
    const texts = [...decision.advice.map((advice) => advice.text), shownText(result.parts), feedback];
    return { endTurn: false, text: texts.filter((text) => text !== undefined && text !== "").join("\n\n") };
  } catch (error) {
    const what = ran ? "withheld the result of this call" : "could not decide on this call, so it did not run";
    return { endTurn: false, text: `Conduct ${what}: ${errorText(error)}` };
  }
}

async function runTool(tool: LoopTool | undefined, { tool: name, args }: CallInput): Promise<ToolResult> {
  if (tool === undefined) return { outcome: "failed", parts: [{ kind: "text", text: `There is no tool '${name}'.` }] };
  try {
    return await tool(args);
  } catch (error) {
    return { outcome: "failed", parts: [{ kind: "text", text: errorText(error) }] };
  }
}

const KEYS = {
  session: having("onCall", "onResult"),
  model: callback,
  tools: object,
  message: text,
  history: optional(listOf(object)),
  wait: optional(anything),
  limitMs: optional(number),
};
