import { formatDuration } from "../../base/kernel/duration.ts";
import type { Exhausted } from "../../base/words/budget.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { DenyCode } from "../../base/words/decision.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Place } from "../../base/words/rule.ts";
import { checkPolicies, type Judged, type Judgement } from "../../behavior/policy/check-policies.ts";
import { brokenSlice, policyStatesSlice } from "../../behavior/policy/policy-states.ts";
import { inflightSlice, MAX_INFLIGHT } from "../../behavior/session/inflight.ts";
import { permissionsOf } from "../../behavior/session/modes/modes.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import type { CallEnvironment } from "./on-call.ts";
import { CHECK_MS } from "./policy-hooks.ts";

/** What speaks against a call; where nothing is enforced, it is let through and the objections are only recorded. */
export function judgeCall(slices: Slices, call: ToolCall, facts: Facts, env: CallEnvironment): Judged {
  const judged = judge(slices, call, facts, env);
  return env.observing === undefined ? judged : { ...judged, judgement: onlyRecorded(judged.judgement) };
}

function onlyRecorded(judgement: Judgement): Judgement {
  const { shadows } = judgement;
  if (judgement.kind === "allow") return { kind: "allow", advice: [], shadows };
  if (judgement.kind === "ask") {
    const { rule, question } = judgement;
    const asks = { rule, code: "policy", reason: question, ...placeOf(judgement) } as const;
    return { kind: "allow", advice: [], shadows: [...shadows, asks] };
  }
  const { rule, code, reason, others } = judgement;
  return { kind: "allow", advice: [], shadows: [...shadows, { rule, code, reason, ...placeOf(judgement) }, ...others] };
}

function placeOf({ place }: { readonly place?: Place }): { readonly place?: Place } {
  return place === undefined ? {} : { place };
}

/** What speaks against it before any policy is asked, and then what the policies say. */
function judge(slices: Slices, call: ToolCall, facts: Facts, env: CallEnvironment): Judged {
  const objection = objectionTo(slices, call, facts, env);
  if (objection !== undefined) return { judgement: objection, memos: new Map() };
  return checkPolicies(
    env.agent.policiesFor(call),
    call,
    slices.get(policyStatesSlice),
    { facts, session: env.view, permissions: permissionsOf(env.view.modes) },
    { stopwatch: env.stopwatch, limitMs: env.agent.agent.limits.checkMs ?? CHECK_MS },
  );
}

function objectionTo(slices: Slices, call: ToolCall, facts: Facts, env: CallEnvironment): Judgement | undefined {
  if (env.ended) return refusal("session", "session-ended", "This session has ended.", "Start a new session.");
  if (slices.get(inflightSlice).size >= MAX_INFLIGHT) {
    const reason = "Too many calls are under way without a result.";
    return refusal("session", "state-full", reason, "Wait for their results.");
  }
  const failures = slices.get(brokenSlice);
  const broken =
    failures.size === 0 ? undefined : env.agent.policiesFor(call).find((policy) => failures.has(policy.name));
  if (broken !== undefined) {
    const why = failures.get(broken.name);
    const reason = `Policy '${broken.name}' failed earlier in this session (${why}), so what it knows cannot be relied on.`;
    return refusal(broken.name, "policy-error", reason, "Tell the operator that this policy is broken; do not retry.");
  }
  const [fault] = Object.entries(facts.faults);
  if (fault !== undefined) {
    const [who, { code, message }] = fault;
    const files = "The files this call names could not be looked up";
    const what = who === "paths" ? files : `Policy '${who}' could not look up what it needs`;
    return refusal(who, code, `${what}: ${message}.`, "Try once more; if it stays so, tell the operator.");
  }
  return env.exhausted === undefined ? undefined : overLimit(env.exhausted);
}

/** A denial of Conduct's own. */
export function refusal(
  rule: string,
  code: DenyCode,
  reason: string,
  next: string,
): Extract<Judgement, { kind: "deny" }> {
  return { kind: "deny", rule, code, reason, missing: [], next, key: code, others: [], endTurn: false, shadows: [] };
}

function overLimit({ what, limit, used }: Exhausted): Judgement {
  const next = "Stop now and report what is done and what is not.";
  if (what === "deadline") {
    return refusal("limits", "deadline", `The deadline passed ${formatDuration(used - limit)} ago.`, next);
  }
  const figures = what === "time" ? `${formatDuration(used)} of ${formatDuration(limit)}` : `${used} of ${limit}`;
  return refusal("limits", "budget", `The budget for ${what} is used up (${figures}).`, next);
}
