import { formatDuration } from "../../base/kernel/duration.ts";
import type { Exhausted } from "../../base/words/budget.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Decision, DenyCode } from "../../base/words/decision.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import {
  approvalState,
  approvalsFull,
  approvalsSlice,
  dropApproval,
  findApproval,
  putApproval,
  sweepApprovals,
} from "../../behavior/policy/approvals.ts";
import { checkPolicies, type Judgement, type Stopwatch } from "../../behavior/policy/check-policies.ts";
import { denialsSlice, escalate } from "../../behavior/policy/escalation.ts";
import { policyStatesSlice } from "../../behavior/policy/policy-states.ts";
import { inflightSlice } from "../../behavior/session/inflight.ts";
import { permissionsOf } from "../../behavior/session/modes.ts";
import type { Slices } from "../../behavior/session/slices.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";

/** How long a person has to answer. */
const APPROVAL_MS = 10 * 60_000;
const CHECK_MS = 250;

export type CallEnvironment = {
  readonly agent: CompiledAgent;
  readonly view: SessionView;
  readonly argsHash: string;
  /** The limit that this call would break, here or in a session above. */
  readonly exhausted: Exhausted | undefined;
  readonly stopwatch: Stopwatch;
  readonly newId: (prefix: string) => string;
};

/** May it do this? State, call and facts in; decision and new state out. Waits for nothing, changes nothing. */
export function decideCall(
  slices: Slices,
  call: ToolCall,
  facts: Facts,
  env: CallEnvironment,
): { readonly slices: Slices; readonly decision: Decision } {
  const judgement = judge(slices, call, facts, env);
  if (judgement.kind === "deny") return denied(slices, judgement, env);
  if (judgement.kind === "ask") return asked(slices, call, facts, judgement, env);
  return admitted(slices, call, facts, env, { kind: "allow", id: env.newId("d"), advice: judgement.advice });
}

function judge(slices: Slices, call: ToolCall, facts: Facts, env: CallEnvironment): Judgement {
  if (slices.get(turnSlice).ended) {
    return refusal("session", "session-ended", "This session has ended.", "Start a new session.");
  }
  const [fault] = Object.entries(facts.faults);
  if (fault !== undefined) {
    const [who, { code, message }] = fault;
    const what =
      who === "paths"
        ? "The files this call names could not be looked up"
        : `Policy '${who}' could not look up what it needs`;
    return refusal(who, code, `${what}: ${message}.`, "Try once more; if it stays so, tell the operator.");
  }
  if (env.exhausted !== undefined) return overLimit(env.exhausted);
  return checkPolicies(
    env.agent.policiesFor(call),
    call,
    slices.get(policyStatesSlice),
    { facts, session: env.view, permissions: permissionsOf(env.view.modes) },
    { stopwatch: env.stopwatch, limitMs: env.agent.agent.limits.checkMs ?? CHECK_MS },
  );
}

function denied(
  slices: Slices,
  judgement: Extract<Judgement, { kind: "deny" }>,
  env: CallEnvironment,
): { readonly slices: Slices; readonly decision: Decision } {
  const { key, ...rest } = judgement;
  const escalation = escalate(slices.get(denialsSlice), judgement.rule, key ?? env.argsHash);
  return {
    slices: slices.with(denialsSlice, escalation.denials),
    decision: {
      ...rest,
      id: env.newId("d"),
      code: escalation.withdrawn ? "withdrawn" : judgement.code,
      attemptsLeft: escalation.attemptsLeft,
      endTurn: escalation.endTurn,
    },
  };
}

function asked(
  slices: Slices,
  call: ToolCall,
  facts: Facts,
  { rule, question }: Extract<Judgement, { kind: "ask" }>,
  env: CallEnvironment,
): { readonly slices: Slices; readonly decision: Decision } {
  const id = env.newId("d");
  if (permissionsOf(env.view.modes).autoApprove) {
    return admitted(slices, call, facts, env, { kind: "allow", id, advice: [], because: "elevated" });
  }
  const approvals = sweepApprovals(slices.get(approvalsSlice), env.view.now);
  const known = findApproval(approvals, rule, call.tool, env.argsHash);
  const state = approvalState(known, env.view.now);
  if (known !== undefined && state === "yes") {
    const used = slices.with(approvalsSlice, dropApproval(approvals, known));
    return admitted(used, call, facts, env, { kind: "allow", id, advice: [], because: "approved" });
  }
  if (state === "no") {
    const reason = `A person has said no to this (${known?.id}): ${question}`;
    return denied(
      slices,
      refusal(rule, "human-no", reason, "Do it another way; the answer holds for this session."),
      env,
    );
  }
  if (known === undefined && approvalsFull(approvals)) {
    const reason = "Too many questions are waiting for a person in this session.";
    return denied(
      slices,
      refusal(rule, "state-full", reason, "Wait until some are answered, or do it another way."),
      env,
    );
  }
  const approval =
    known !== undefined && state === "waiting"
      ? known
      : {
          id: env.newId("a"),
          rule,
          tool: call.tool,
          inputHash: env.argsHash,
          question,
          expiresAt: env.view.now + APPROVAL_MS,
          answer: null,
          by: null,
        };
  const waiting = slices.with(approvalsSlice, putApproval(approvals, approval));
  const decision = {
    kind: "ask",
    id,
    rule,
    approval: approval.id,
    question,
    inputHash: env.argsHash,
    expiresAt: approval.expiresAt,
  } as const;
  return admitted(waiting, call, facts, env, decision);
}

/** Let through, or put to a person by the runtime: either way a result may follow. */
function admitted(
  slices: Slices,
  call: ToolCall,
  facts: Facts,
  env: CallEnvironment,
  decision: Exclude<Decision, { kind: "deny" }>,
): { readonly slices: Slices; readonly decision: Decision } {
  const inflight = slices.get(inflightSlice).set(call.id, {
    call,
    facts,
    at: env.view.now,
    decision: decision.id,
    argsHash: env.argsHash,
    ...(decision.kind === "ask" ? { approval: decision.approval } : {}),
  });
  return { slices: slices.with(inflightSlice, inflight), decision };
}

function refusal(rule: string, code: DenyCode, reason: string, next: string): Extract<Judgement, { kind: "deny" }> {
  return { kind: "deny", rule, code, reason, missing: [], next, key: code, others: [] };
}

function overLimit({ what, limit, used }: Exhausted): Judgement {
  if (what === "deadline") {
    const late = formatDuration(used - limit);
    return refusal(
      "limits",
      "deadline",
      `The deadline passed ${late} ago.`,
      "Stop now and report what is done and what is not.",
    );
  }
  const figures = what === "time" ? `${formatDuration(used)} of ${formatDuration(limit)}` : `${used} of ${limit}`;
  return refusal(
    "limits",
    "budget",
    `The budget for ${what} is used up (${figures}).`,
    "Stop now and report what is done and what is not.",
  );
}
