import type { Exhausted } from "../../base/words/budget.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Decision, Objection, Observing } from "../../base/words/decision.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import {
  approvalById,
  approvalState,
  approvalsFull,
  approvalsSlice,
  dropApproval,
  findApproval,
  putApproval,
  refusedBy,
  sweepApprovals,
} from "../../behavior/policy/approvals.ts";
import type { Stopwatch } from "../../behavior/policy/builtin/ask-policy.ts";
import type { Judgement } from "../../behavior/policy/check-policies.ts";
import { denialsSlice, escalate } from "../../behavior/policy/escalation.ts";
import { inflightSlice } from "../../behavior/session/inflight.ts";
import { permissionsOf } from "../../behavior/session/modes/modes.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { judgeCall, refusal } from "./judge-call.ts";
import { CHECK_MS, tellPolicies } from "./policy-hooks.ts";

/** How long a person has to answer. */
export const APPROVAL_MS = 10 * 60_000;

export type CallEnvironment = {
  readonly agent: CompiledAgent;
  readonly view: SessionView;
  /** Of the call as the runtime made it; `hashOf` gives that of rewritten arguments. */
  readonly argsHash: string;
  readonly hashOf: (args: JsonObject) => string;
  /** This session or one above it is over. */
  readonly ended: boolean;
  /** The limit that this call would break, here or in a session above. */
  readonly exhausted: Exhausted | undefined;
  /** Why nothing is enforced; absent when it is. */
  readonly observing?: Observing | undefined;
  readonly stopwatch: Stopwatch;
  readonly newId: (prefix: string) => string;
};

/** `call` is the one that was decided on: its arguments may have been rewritten. */
export type CallDecided = {
  readonly slices: Slices;
  readonly decision: Decision;
  readonly call: ToolCall;
  readonly shadows: readonly Objection[];
  readonly faults: readonly Fault[];
};

/** May it do this? State, call and facts in; decision and new state out. Waits for nothing, changes nothing. */
export function decideCall(slices: Slices, made: ToolCall, facts: Facts, env: CallEnvironment): CallDecided {
  const { judgement, memos } = judgeCall(slices, made, facts, env);
  const input = judgement.kind === "deny" ? undefined : judgement.input;
  const call = input === undefined ? made : { ...made, args: input };
  const decided = decide(slices, call, facts, env, judgement);
  const { kind } = decided.decision;
  const { view: session } = env;
  const permissions = permissionsOf(session.modes);
  const told = tellPolicies(
    decided.slices,
    env.agent.policiesFor(made),
    "onDecided",
    (policy, state) =>
      policy.onDecided?.(call, { kind, memo: memos.get(policy.name) }, { state, facts, session, permissions }),
    { stopwatch: env.stopwatch, limitMs: env.agent.agent.limits.checkMs ?? CHECK_MS },
  );
  return { slices: told.slices, decision: decided.decision, call, shadows: judgement.shadows, faults: told.faults };
}

type Decided = { readonly slices: Slices; readonly decision: Decision };

function decide(slices: Slices, call: ToolCall, facts: Facts, env: CallEnvironment, judgement: Judgement): Decided {
  if (judgement.kind === "deny") return denied(slices, judgement, env);
  if (judgement.kind === "ask") return asked(slices, call, facts, env, judgement);
  const allow = allowing(env.newId("d"), judgement);
  const { observing } = env;
  return admit(slices, call, facts, env, observing === undefined ? allow : { ...allow, because: observing });
}

function denied(slices: Slices, judgement: Extract<Judgement, { kind: "deny" }>, env: CallEnvironment): Decided {
  const { rule, code, reason, missing, next, others, key = env.argsHash } = judgement;
  const escalation = escalate(slices.get(denialsSlice), rule, key);
  return {
    slices: slices.with(denialsSlice, escalation.denials),
    decision: {
      kind: "deny",
      id: env.newId("d"),
      rule,
      ...(judgement.place === undefined ? {} : { place: judgement.place }),
      code: escalation.withdrawn ? "withdrawn" : code,
      reason,
      missing,
      next,
      others,
      attemptsLeft: escalation.attemptsLeft,
      endTurn: judgement.endTurn || escalation.endTurn,
    },
  };
}

function asked(
  slices: Slices,
  call: ToolCall,
  facts: Facts,
  env: CallEnvironment,
  judgement: Extract<Judgement, { kind: "ask" }>,
): Decided {
  const { rule, question, input } = judgement;
  const id = env.newId("d");
  const inputHash = input === undefined ? env.argsHash : env.hashOf(input);
  const key = judgement.key ?? inputHash;
  const approvals = sweepApprovals(slices.get(approvalsSlice), env.view.now);
  const no = refusedBy(approvals, rule, key);
  const deny = (code: "human-no" | "state-full", reason: string, next: string) =>
    denied(slices, { ...refusal(rule, code, reason, next), key }, env);
  // A person's no is stronger than the elevation that answers questions.
  if (no !== undefined) {
    const why = approvalById(approvals, no)?.reason;
    const reason = `A person has said no to this (${no}): ${question}${why === undefined ? "" : ` They say: ${why}`}`;
    return deny("human-no", reason, "Do it another way; the answer holds for this session.");
  }
  const allow = allowing(id, judgement);
  if (permissionsOf(env.view.modes).autoApprove) {
    return admit(slices, call, facts, env, { ...allow, because: "elevated" });
  }
  const known = findApproval(approvals, rule, call.tool, inputHash);
  const state = approvalState(known, env.view.now);
  if (known !== undefined && state === "yes") {
    const used = slices.with(approvalsSlice, dropApproval(approvals, known));
    return admit(used, call, facts, env, { ...allow, because: "approved" });
  }
  if (known === undefined && approvalsFull(approvals)) {
    const reason = "Too many questions are waiting for a person in this session.";
    return deny("state-full", reason, "Wait until some are answered, or do it another way.");
  }
  const expiresAt = env.view.now + APPROVAL_MS;
  const fresh = {
    id: env.newId("a"),
    rule,
    tool: call.tool,
    inputHash,
    key,
    question,
    expiresAt,
    answer: null,
    by: null,
  };
  const approval = known !== undefined && state === "waiting" ? known : fresh;
  return admit(slices.with(approvalsSlice, putApproval(approvals, approval)), call, facts, env, {
    kind: "ask",
    id,
    rule,
    ...(judgement.place === undefined ? {} : { place: judgement.place }),
    approval: approval.id,
    question,
    ...(input === undefined ? {} : { input }),
    inputHash,
    expiresAt: approval.expiresAt,
  });
}

/** Shows where the session's elevation made the difference. */
function allowing(
  id: string,
  { advice, input, lifted }: Exclude<Judgement, { kind: "deny" }>,
): Extract<Decision, { kind: "allow" }> {
  const because = lifted === undefined ? {} : ({ because: "elevated", lifted } as const);
  return { kind: "allow", id, advice, ...(input === undefined ? {} : { input }), ...because };
}

/** Let through, or put to a person by the runtime: either way a result may follow. */
function admit(
  slices: Slices,
  call: ToolCall,
  facts: Facts,
  env: CallEnvironment,
  decision: Exclude<Decision, { kind: "deny" }>,
): Decided {
  const inflight = slices.get(inflightSlice).set(call.id, {
    call,
    facts,
    at: env.view.now,
    decision: decision.id,
    argsHash: env.argsHash,
    agent: env.agent.agent.name,
    ...(decision.kind === "ask" ? { approval: decision.approval } : {}),
  });
  return { slices: slices.with(inflightSlice, inflight), decision };
}
