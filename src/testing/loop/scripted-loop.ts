import type { CallInput } from "../../base/words/call.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ThinkLevel } from "../../base/words/modes.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { renderDenial, renderQuestion } from "../../behavior/policy/render-denial.ts";
import { shownText } from "../../behavior/results/shown-text.ts";
import type { Session } from "../../engine/moments/session.ts";

/** A tool the loop can run. What it throws is a failed outcome. */
export type LoopTool = (args: JsonObject) => ToolResult | Promise<ToolResult>;

export type LoopCall = Pick<CallInput, "id" | "tool" | "args">;
export type LoopReply = { readonly text?: string; readonly calls?: readonly LoopCall[] };

/** What the scripted model is sent: the prompt, and everything said since. */
export type LoopRequest = {
  readonly system: string;
  readonly messages: readonly LoopMessage[];
  /** How hard to think, in think mode. */
  readonly thinking?: ThinkLevel;
};
export type LoopMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly LoopCall[] }
  | { readonly role: "result"; readonly callId: string; readonly text: string };

export type LoopModel = (request: LoopRequest) => LoopReply | Promise<LoopReply>;

/** How a turn ended. `answered`: Conduct answered the message itself, and the model was not asked. */
export type LoopEnd = {
  readonly messages: readonly LoopMessage[];
  readonly status: "complete" | "incomplete" | "bypassed" | "ended-by-policy" | "answered";
  /** For the person and never for the model: replies of Conduct's own, notes, debug lines. */
  readonly shown: readonly string[];
};

/**
 * The smallest agent runtime there is, and the model of an adapter: it shows where each of the five moments belongs.
 * The calls of one reply run one after the other, as one step.
 */
export async function runScriptedLoop(options: {
  readonly session: Session;
  readonly model: LoopModel;
  readonly tools: { readonly [name: string]: LoopTool };
  readonly message: string;
  /** What was said in the turns before this one; without it the conversation begins here. */
  readonly history?: readonly LoopMessage[];
}): Promise<LoopEnd> {
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
  for (let step = 1; ; step++) {
    const reply = await model({ system, messages: [...messages], ...thinking });
    const calls = reply.calls ?? [];
    messages.push({ role: "assistant", text: reply.text ?? "", calls });
    if (calls.length === 0) {
      const stop = await session.onStop({ reason: "end_turn", output: reply.text });
      if (stop.done) return end(stop.status);
      messages.push({ role: "user", text: stop.feedback });
      continue;
    }
    for (const call of calls) {
      const { endTurn, shown } = await playCall(session, { ...call, step: `step-${session.view.turn}-${step}` }, tools);
      messages.push({ role: "result", callId: call.id, text: shown });
      if (endTurn) return end("ended-by-policy");
    }
    session.notice({ kind: "step-closed" });
  }
}

async function playCall(
  session: Session,
  call: CallInput,
  tools: { readonly [name: string]: LoopTool },
): Promise<{ readonly endTurn: boolean; readonly shown: string }> {
  const decision = await session.decide(call);
  if (decision.kind === "deny") return { endTurn: decision.endTurn, shown: renderDenial(decision) };
  if (decision.kind === "ask") {
    // Nobody is here to answer: the question stays open, the call does not.
    await session.onResult(call, { outcome: "cancelled", parts: [] });
    return { endTurn: false, shown: renderQuestion(decision) };
  }
  const made = { ...call, args: decision.input ?? call.args };
  const { result, feedback } = await session.onResult(call, await runTool(tools[call.tool], made));
  const shown = [...decision.advice.map((advice) => advice.text), shownText(result.parts), feedback];
  return { endTurn: false, shown: shown.filter((text) => text !== undefined && text !== "").join("\n\n") };
}

async function runTool(tool: LoopTool | undefined, { tool: name, args }: CallInput): Promise<ToolResult> {
  if (tool === undefined) return { outcome: "failed", parts: [{ kind: "text", text: `There is no tool '${name}'.` }] };
  try {
    return await tool(args);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { outcome: "failed", parts: [{ kind: "text", text }] };
  }
}
