import { errorText } from "../../../base/kernel/error-text.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { Wait } from "../../../engine/moments/open-questions.ts";
import type { Session } from "../../../engine/moments/session.ts";
import type { SessionMoments } from "../../../engine/moments/session-moments.ts";

export type Question = Extract<Decision, { kind: "ask" }>;

/** Puts a question to a person. `undefined` when nobody is there: the call is then refused, and the question stays open. */
export type Ask = (
  question: Question,
  call: CallInput,
  signal: AbortSignal | undefined,
) => Promise<{ readonly answer: "yes" | "no"; readonly by: string } | undefined>;

/** A session as Pi's hooks use it. One in this process can be asked without its approver, and told a person's answer. */
export type PiSession = SessionMoments &
  Partial<Pick<Session, "onCall">> & {
    resolve?(approval: string, answer: "yes" | "no", by: string): void | Promise<void>;
  };

export type Asking = {
  readonly ask?: Ask | undefined;
  /** How long a call waits for Conduct's own approver, where there is no `ask`. Left out: while the question is open. */
  readonly waitMs?: number | undefined;
};

/** May it do this? A question goes to `ask`, where there is one and the session takes its answer, else to the session's approver. */
export async function decide(
  session: PiSession,
  { ask, waitMs }: Asking,
  call: CallInput,
  signal: AbortSignal | undefined,
): Promise<Decision> {
  const wait = { signal, ...(waitMs === undefined ? {} : { waitMs }) };
  if (ask === undefined || session.resolve === undefined) return decideUnlessAborted(session, call, wait);
  const decision = await decideNow(session, call);
  if (decision.kind !== "ask") return decision;
  const answered = await ask(decision, call, signal);
  if (answered === undefined) return decision;
  try {
    await session.resolve(decision.approval, answered.answer, answered.by);
  } catch (error) {
    // Answered elsewhere in the meantime, or expired: what holds is what the session says now.
    session.notice({ kind: "fault", fault: { where: "pi", code: "approval", message: errorText(error) } });
  }
  return decideNow(session, call);
}

function decideNow(session: PiSession, call: CallInput): Promise<Decision> {
  return session.onCall?.(call) ?? session.decide(call, { waitMs: 0 });
}

/** A session behind a socket does not hear that the run was aborted: a yes that comes after it is given back. */
async function decideUnlessAborted(session: PiSession, call: CallInput, wait: Wait): Promise<Decision> {
  const deciding = session.decide(call, wait);
  const { signal } = wait;
  if (signal === undefined) return deciding;
  const over = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true, signal: over.signal });
  });
  const decision = await Promise.race([deciding, aborted]).finally(() => over.abort());
  if (decision !== undefined) return decision;
  deciding.then(
    ({ kind }) => (kind === "deny" ? undefined : session.onResult(call, { outcome: "cancelled", parts: [] })),
    () => undefined,
  );
  throw new Error("the run was aborted before it was decided");
}
