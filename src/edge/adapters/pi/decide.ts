import { errorText } from "../../../base/kernel/error-text.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { decideInTime } from "../decide-in-time.ts";

export type Question = Extract<Decision, { kind: "ask" }>;

/** Puts a question to a person. `undefined` when nobody is there: the call is then refused, and the question stays open. */
export type Ask = (
  question: Question,
  call: CallInput,
  signal: AbortSignal | undefined,
) => Promise<{ readonly answer: "yes" | "no"; readonly by: string } | undefined>;

/** A session as Pi's hooks use it. */
export type PiSession = SessionMoments;

export type Asking = {
  /** Used instead of the session's own approver. */
  readonly ask?: Ask | undefined;
  /** How long a call waits for the session's approver. Left out: while the question is open. */
  readonly waitMs?: number | undefined;
  /** How long the session may take for a decision, its approver included. Left out: for ever. */
  readonly limitMs?: number | undefined;
};

/** May it do this? A question goes to `ask`, or else to the session's approver. */
export async function decide(
  session: SessionMoments,
  { ask, waitMs, limitMs }: Asking,
  call: CallInput,
  signal: AbortSignal | undefined,
): Promise<Decision> {
  const giveBack = () => session.onResult(call, { outcome: "cancelled", parts: [] });
  // A session behind a socket does not hear that the run was aborted.
  const inTime = (deciding: Promise<Decision>) => decideInTime(deciding, { limitMs, signal, giveBack });
  if (ask === undefined) return inTime(session.decide(call, { signal, waitMs }));
  const decision = await inTime(session.onCall(call));
  if (decision.kind !== "ask") return decision;
  const answered = await ask(decision, call, signal);
  if (answered === undefined) return decision;
  try {
    await session.resolve(decision.approval, answered.answer, answered.by);
  } catch (error) {
    // Answered elsewhere in the meantime, or expired: what holds is what the session says now.
    session.notice({ kind: "fault", fault: { where: "pi", code: "approval", message: errorText(error) } });
  }
  return inTime(session.onCall(call));
}
