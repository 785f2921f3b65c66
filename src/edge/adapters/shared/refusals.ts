import { errorText } from "../../../base/kernel/error-text.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { Wait } from "../../../engine/session/approvals.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { type Carriers, rewriteInput, rewriteRefusal } from "./tool-args.ts";

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

/** The decision on a call: it runs, with `input` if rules rewrote it, or the model gets the refusal. */
type Decided =
  | { readonly kind: "run"; readonly decision: Extract<Decision, { kind: "allow" }>; readonly input?: JsonObject }
  | { readonly kind: "refused"; readonly why: string; readonly decision?: Exclude<Decision, { kind: "allow" }> };

/** The moment `call`, for runtimes whose hook can rewrite a call and cannot ask a person. */
export async function decideCall(
  session: SessionMoments,
  call: CallInput,
  wait: Wait,
  way: { readonly runtime: string; readonly where: string; readonly native: JsonObject; readonly carriers: Carriers },
): Promise<Decided> {
  const decision = await session.decide(call, wait);
  if (decision.kind === "ask") await cancelCall(session, call);
  if (decision.kind !== "allow") return { kind: "refused", why: refusalOf(decision), decision };
  if (decision.input === undefined) return { kind: "run", decision };
  const rewritten = rewriteInput(way.native, call.args, decision.input, way.carriers);
  if ("input" in rewritten) return { kind: "run", decision, input: rewritten.input };
  return { kind: "refused", why: await refuseRewrite(session, call, { ...way, cannot: rewritten.cannot }) };
}

/** The refusal of a call that could not be decided. */
export function undecided(error: unknown): string {
  return `Denied by conduct: Conduct failed, and this call could not be decided: ${errorText(error)}.\nNext: tell the operator; nothing was run.`;
}

/** Replaces a result that could not be checked. */
export function withheldText(error: unknown): string {
  return `[The tool ran, but Conduct withholds its result: ${errorText(error)}. Tell the operator.]`;
}
