import { errorText } from "../../../base/kernel/error-text.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision, PersonAnswer, Question } from "../../../base/words/decision.ts";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { StopRequest } from "../../../engine/session/session-options.ts";
import { cancelCall, decideInTime, tellFault } from "./refusals.ts";

/** Why a turn ended. */
export type TurnEnd = {
  readonly status: "complete" | "incomplete" | "bypassed" | "ended-by-policy";
  readonly why?: string;
};

/** Asks a person. Returns `undefined` if nobody is present: the call is refused, and the question stays open. */
export type Ask = (
  question: Question,
  call: CallInput,
  signal: AbortSignal | undefined,
) => Promise<{ readonly answer: PersonAnswer; readonly by: string } | undefined>;

export type Asking = {
  /** Asks a person; without it the session's own approver is asked. */
  readonly ask?: Ask;
  /** How long a call waits for the session's approver. Default: while the question is open. */
  readonly waitMs?: number;
  /** How long the session may take for a decision, its approver included. No limit by default. */
  readonly limitMs?: number;
};

/** Decides on a call. A question goes to `ask`, or else to the session's approver. */
export async function decide(
  session: SessionMoments,
  { ask, waitMs, limitMs }: Asking,
  call: CallInput,
  signal: AbortSignal | undefined,
): Promise<Decision> {
  const giveBack = () => cancelCall(session, call);
  // A session behind a socket does not notice that the run was aborted.
  const inTime = (deciding: Promise<Decision>) => decideInTime(deciding, { limitMs, signal, giveBack });
  if (ask === undefined) return inTime(session.decide(call, { signal, waitMs }));
  const decision = await inTime(session.onCall(call));
  if (decision.kind !== "ask") return decision;
  const answered = await ask(decision, call, signal);
  if (answered === undefined) return decision;
  try {
    await session.resolve(decision.approval, answered.answer, answered.by);
  } catch (error) {
    // Answered elsewhere in the meantime, or expired: the session's decision counts.
    tellFault(session, "call", "approval", errorText(error));
  }
  return inTime(session.onCall(call));
}

/** Timeout at a stop for a session that did not answer at a call. */
const AGAIN_MS = 10_000;

/** The moment `stop`. A session that was `lost` may be gone for good; then the agent may stop, because no call runs. */
export async function askStop(
  session: SessionMoments,
  request: StopRequest,
  { lost, againMs = AGAIN_MS }: { readonly lost: boolean; readonly againMs?: number },
): Promise<StopDecision> {
  const asked = session.onStop(request);
  if (!lost) return asked;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<StopDecision>((resolve) => {
    timer = setTimeout(resolve, againMs, { done: true, status: "bypassed", why: "Conduct does not answer" });
  });
  return Promise.race([asked, silence]).finally(() => clearTimeout(timer));
}
