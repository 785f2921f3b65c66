import type { CallInput } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { rewriteRefusal } from "./tool-args.ts";

/** Node fires a longer timer at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Limits a duration to what a timer accepts. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(1, ms), MAX_TIMER_MS);
}

type InTime = {
  /** No limit by default. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
  /** Called when the decision is late and no denial: the allowed call never runs. */
  giveBack(): unknown;
};

/** Waits for a decision until the limit or an abort; then it rejects, so that the call does not run. */
export async function decideInTime(
  deciding: Promise<Decision>,
  { limitMs, signal, giveBack }: InTime,
): Promise<Decision> {
  const over = new AbortController();
  const tooLate = new Promise<string>((resolve) => {
    const aborted = () => resolve("the run was aborted before it was decided");
    if (signal?.aborted === true) aborted();
    signal?.addEventListener("abort", aborted, { once: true, signal: over.signal });
    if (limitMs === undefined) return;
    const timer = setTimeout(
      resolve,
      timerMs(limitMs),
      `Conduct has not answered within ${Math.round(limitMs / 100) / 10} s`,
    );
    over.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  const first = await Promise.race([deciding, tooLate]).finally(() => over.abort());
  if (typeof first !== "string") return first;
  deciding.then(({ kind }) => (kind === "deny" ? undefined : giveBack())).catch(() => undefined);
  throw new Error(first);
}

/** The reason for the model why the call may not run. A question without an answer blocks like a denial. */
export function refusalOf(decision: Exclude<Decision, { kind: "allow" }>): string {
  return decision.kind === "deny" ? renderDenial(decision) : renderQuestion(decision);
}

/** Reports to the session that an allowed call does not run after all. */
export function cancelCall(session: SessionMoments, call: Pick<CallInput, "id" | "tool">) {
  return session.onResult(call, { outcome: "cancelled", parts: [] });
}

export function tellFault(
  session: Pick<SessionMoments, "notice"> | undefined,
  where: string,
  code: string,
  message: string,
): void {
  session?.notice({ kind: "fault", fault: { where, code, message } });
}

/** Cancels a call whose rewritten input the runtime cannot run; returns the refusal for the model. */
export async function refuseRewrite(
  session: SessionMoments,
  call: CallInput,
  { runtime, where, cannot }: { readonly runtime: string; readonly where: string; readonly cannot: readonly string[] },
): Promise<string> {
  await cancelCall(session, call);
  const message = rewriteRefusal(call.tool, runtime, cannot);
  tellFault(session, where, "rewrite", message);
  return message;
}
