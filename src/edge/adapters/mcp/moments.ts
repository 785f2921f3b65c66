import { errorText } from "../../../base/kernel/error-text.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { Delivered } from "../../../engine/moments/result.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { type Answer, humanNo, type Question } from "./translate.ts";
import type { Turns } from "./turns.ts";

/** Texts that the model gets beside a result. */
export type Beside = { readonly before: readonly string[]; readonly after: readonly string[] };

/** What running a call came to: its result and how to answer with it, or an answer at once with the result to come later. */
export type Ran<T> =
  | { readonly result: ToolResult; readonly replaceable?: false; answer(delivered: Delivered, beside: Beside): T }
  | { readonly later: T };

export type CallHandling<T> = {
  /** Runs it, with the arguments as rules have rewritten them. A rejection says why nobody knows what became of it. */
  run(input: JsonObject | undefined): Promise<Ran<T>>;
  /** Nothing ran: the model is told why. */
  refuse(text: string): T;
  /** Puts a question to a person where the client can. */
  readonly ask?: (question: Question) => Promise<Answer>;
  /** How long a question waits for Conduct's own approver where it cannot. */
  readonly waitMs: number;
  /** The client no longer wants an answer. */
  readonly signal: AbortSignal;
};

const OVER =
  "Conduct has ended this turn: a denied call was tried too often, and nothing more runs now.\nNext: stop calling tools, tell the person what happened, and wait for their word.";

/** One call through the moments `call` and `result`. Rejects only when the server that runs it is gone. */
export async function handleCall<T>(
  session: SessionMoments,
  turns: Turns,
  made: CallInput,
  handling: CallHandling<T>,
): Promise<T> {
  const entered = await turns.enter();
  try {
    if (entered.kind === "over") return handling.refuse(OVER);
    return await decideAndRun(session, turns, { ...made, step: entered.step }, handling);
  } finally {
    turns.leave();
  }
}

async function decideAndRun<T>(
  session: SessionMoments,
  turns: Turns,
  call: CallInput,
  handling: CallHandling<T>,
): Promise<T> {
  const { refuse, ask, signal } = handling;
  const decision = await session.decide(call, { waitMs: ask === undefined ? handling.waitMs : 0 });
  if (decision.kind === "deny") {
    if (decision.endTurn) turns.end();
    return refuse(renderDenial(decision));
  }
  const settle = (outcome: "denied" | "cancelled") => session.onResult(call, { outcome, parts: [] });
  if (decision.kind === "ask") {
    const answer = (await ask?.(decision)) ?? "later";
    if (answer === "no") {
      await settle("denied");
      return refuse(renderDenial(humanNo(decision)));
    }
    if (answer === "later") {
      await settle("cancelled");
      return refuse(renderQuestion(decision));
    }
  }
  if (signal.aborted) {
    await settle("cancelled");
    return refuse("The call was cancelled before it ran.");
  }
  const advice = decision.kind === "allow" ? decision.advice.map(({ text }) => text) : [];
  let ran: Ran<T>;
  try {
    ran = await handling.run(decision.input);
  } catch (error) {
    // It was let go, and what became of it nobody knows.
    await session.onResult(call, { outcome: "unknown", parts: [{ kind: "text", text: errorText(error) }] });
    throw error;
  }
  if ("later" in ran) return ran.later;
  const delivered = await session.onResult(call, ran.result, { replaceable: ran.replaceable ?? true });
  return ran.answer(delivered, { before: advice, after: feedbackOf(delivered) });
}

/** What there is to say after a result. */
export function feedbackOf({ feedback }: Delivered): readonly string[] {
  return feedback === undefined ? [] : [feedback];
}
