import type { CallInput } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { rewriteRefusal } from "./rewrite-input.ts";

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
