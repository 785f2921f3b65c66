import type { Exhausted } from "../../base/words/budget.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Decision, DenyCode, Objection, Observing } from "../../base/words/decision.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import { usedUp } from "../../behavior/completion/decide-stop.ts";
import {
  approvalById,
  approvalState,
  approvalsFull,
  approvalsSlice,
  dropApproval,
  findApproval,
  isGranted,
  putApproval,
  refusedBy,
  sweepApprovals,
} from "../../behavior/policy/approvals.ts";
import type { Stopwatch } from "../../behavior/policy/check-policies.ts";
import { checkPolicies, type Judged, type Judgement, NO_MEMOS } from "../../behavior/policy/check-policies.ts";
import { effectsText } from "../../behavior/policy/effect-words.ts";
import { brokenSlice, denialsSlice, escalate, policyStatesSlice } from "../../behavior/policy/policy-state.ts";
import { inflightSlice, MAX_INFLIGHT } from "../../behavior/session/calls.ts";
import { permissionsOf } from "../../behavior/session/modes/modes.ts";
import type { Slices } from "../../behavior/session/snapshot/snapshot.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { CHECK_MS, notifyPolicies } from "./notify-policies.ts";

export const APPROVAL_MS = 10 * 60_000;

export type CallEnvironment = {
  readonly agent: CompiledAgent;
  readonly view: SessionView;
  /** Hash of the original arguments; `hashOf` hashes rewritten ones. */
  readonly argsHash: string;
  readonly hashOf: (args: JsonObject) => string;
  /** True if this session or an ancestor has ended. */
  readonly ended: boolean;
  /** The limit that this call would exceed, in this session or an ancestor. */
  readonly exhausted: Exhausted | undefined;
  /** Why nothing is enforced; absent when rules are enforced. */
  readonly observing?: Observing | undefined;
  readonly stopwatch: Stopwatch;
  /** The workspace, if it is known. */
  readonly root?: string | undefined;
  /** What the call would destroy, if a person is asked. */
  readonly loss?: string | undefined;
  /** Changes whenever the files change that would be lost. */
  readonly lossMark?: string | undefined;
  readonly newId: (prefix: string) => string;
};

/** `call` is the call that was decided on; its arguments may have been rewritten. */
type CallDecided = {
  readonly slices: Slices;
  readonly decision: Decision;
  readonly call: ToolCall;
  readonly shadows: readonly Objection[];
  readonly faults: readonly Fault[];
};

/** Decides on a call: pure and synchronous. Takes state, call and facts; returns the decision and new state. */
export function decideCall(slices: Slices, made: ToolCall, facts: Facts, env: CallEnvironment): CallDecided {
  const { judgement, memos } = judgeCall(slices, made, facts, env);
  const input = judgement.kind === "deny" ? undefined : judgement.input;
  const call = input === undefined ? made : { ...made, args: input };
  const decided = decide(slices, call, facts, env, judgement);
  const { kind } = decided.decision;
  const { view: session } = env;
  const permissions = permissionsOf(session.modes);
  const { slices: next, faults } = notifyPolicies(
    decided.slices,
    env.agent.policiesFor(made),
    "onDecided",
    (policy, state) =>
      policy.onDecided?.(call, { kind, memo: memos.get(policy.name) }, { state, facts, session, permissions }),
    { stopwatch: env.stopwatch, limitMs: env.agent.agent.limits.checkMs ?? CHECK_MS },
  );
  return { slices: next, decision: decided.decision, call, shadows: judgement.shadows, faults };
}

type Decided = { readonly slices: Slices; readonly decision: Decision };

/** Turns a judgement into a decision: counts denials, finds approvals, admits the call. */
export function decide(
  slices: Slices,
  call: ToolCall,
  facts: Facts,
  env: CallEnvironment,
  judgement: Judgement,
): Decided {
  if (judgement.kind === "deny") return denyCall(slices, judgement, env);
  if (judgement.kind === "ask") return askPerson(slices, call, facts, env, judgement);
  const allow = allowing(env.newId("d"), judgement);
  const because = env.observing ?? (judgement.granted === true ? "approved" : allow.because);
  return admitCall(slices, call, facts, env, because === undefined ? allow : { ...allow, because });
}

function denyCall(slices: Slices, judgement: Extract<Judgement, { kind: "deny" }>, env: CallEnvironment): Decided {
  const { rule, code, reason, missing, next, others, key = env.argsHash } = judgement;
  const escalation = escalate(slices.get(denialsSlice), rule, key);
  return {
    slices: slices.with(denialsSlice, escalation.denials),
    decision: {
      kind: "deny",
      id: env.newId("d"),
      rule,
      place: judgement.place,
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

function askPerson(
  slices: Slices,
  call: ToolCall,
  facts: Facts,
  env: CallEnvironment,
  judgement: Extract<Judgement, { kind: "ask" }>,
): Decided {
  const { rule, input } = judgement;
  const always = judgement.always?.map((one) => ({ rule: one.rule, key: one.key ?? env.argsHash }));
  const id = env.newId("d");
  const inputHash = input === undefined ? env.argsHash : env.hashOf(input);
  const key = judgement.key ?? inputHash;
  const approvals = sweepApprovals(slices.get(approvalsSlice), env.view.now);
  const no = refusedBy(approvals, rule, key);
  const deny = (code: "human-no" | "state-full", reason: string, next: string) =>
    denyCall(slices, { ...refusal(rule, code, reason, next), key }, env);
  // A person's denial overrides the elevation that answers approvals automatically.
  if (no !== undefined) {
    const why = approvalById(approvals, no)?.reason;
    const reason = `A person denied this (${no}): ${judgement.question}${why === undefined ? "" : ` Their reason: ${why}`}`;
    return deny("human-no", reason, "Find another way; the answer applies to the whole session.");
  }
  const allow = allowing(id, judgement);
  if (permissionsOf(env.view.modes).autoApprove) {
    return admitCall(slices, call, facts, env, { ...allow, because: "elevated" });
  }
  const known = findApproval(approvals, { rule, tool: call.tool, inputHash });
  const state = approvalState(known, env.view.now);
  // An answer is about the loss that the question showed.
  const isSame = known?.shown === env.lossMark;
  if (known !== undefined && state === "yes" && isSame) {
    const used = slices.with(approvalsSlice, dropApproval(approvals, known));
    return admitCall(used, call, facts, env, { ...allow, because: "approved" });
  }
  if (known === undefined && approvalsFull(approvals)) {
    const reason = "Too many questions are waiting for a person in this session.";
    return deny("state-full", reason, "Wait until some are answered, or find another way.");
  }
  const expiresAt = env.view.now + APPROVAL_MS;
  const again = state === "yes" ? ["The files have changed since a person allowed this, so it is asked again."] : [];
  const question = [...again, questionText(judgement.question, call, env)].join("\n");
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
    always,
    shown: env.lossMark,
  };
  const approval = known !== undefined && state === "waiting" && isSame ? known : fresh;
  return admitCall(slices.with(approvalsSlice, putApproval(approvals, approval)), call, facts, env, {
    kind: "ask",
    id,
    rule,
    place: judgement.place,
    approval: approval.id,
    question,
    input,
    inputHash,
    expiresAt: approval.expiresAt,
    remember: always === undefined ? undefined : true,
  });
}

/** Effects that destroy something: a person is shown what. */
export const LOSS = /^(?:git\.discard|files\.(?:delete|write))$/;

/** Whether a person will see a question about the call: no permission answers it, nor an answer about the same loss. */
export function willAsk(slices: Slices, call: ToolCall, facts: Facts, env: CallEnvironment): boolean {
  const { judgement } = judgeCall(slices, call, facts, env);
  if (judgement.kind !== "ask" || permissionsOf(env.view.modes).autoApprove) return false;
  const { rule } = judgement;
  const known = findApproval(slices.get(approvalsSlice), { rule, tool: call.tool, inputHash: env.argsHash });
  return known?.shown !== undefined || approvalState(known, env.view.now) !== "yes";
}

/** The rule's question, with everything that the call does and what would be lost. */
function questionText(question: string, { effects = [] }: ToolCall, { root, loss }: CallEnvironment): string {
  const others =
    loss === undefined ? effects : effects.filter(({ name }) => !/^(?:git\.discard|files\.delete)$/.test(name));
  const also = effectsText(others, root, loss === undefined ? "It" : "It also");
  return [question, also, loss].filter((text) => text !== undefined).join("\n");
}

/** Records where the session's elevation changed the decision. */
function allowing(
  id: string,
  { advice, input, lifted }: Exclude<Judgement, { kind: "deny" }>,
): Extract<Decision, { kind: "allow" }> {
  const allow = { kind: "allow", id, advice, input } as const;
  return lifted === undefined ? allow : { ...allow, because: "elevated", lifted };
}

/** Admits a call that is allowed, or that the runtime puts to a person: a result may follow either way. */
function admitCall(
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
    because: decision.kind === "allow" ? decision.because : undefined,
    argsHash: env.argsHash,
    agent: env.agent.agent.name,
    approval: decision.kind === "ask" ? decision.approval : undefined,
  });
  return { slices: slices.with(inflightSlice, inflight), decision };
}

/** Collects the objections to a call. In observe mode the call is allowed and objections are only recorded. */
export function judgeCall(slices: Slices, call: ToolCall, facts: Facts, env: CallEnvironment): Judged {
  const judged = judge(slices, call, facts, env);
  return env.observing === undefined ? judged : { ...judged, judgement: onlyRecorded(judged.judgement) };
}

export function onlyRecorded(judgement: Judgement): Judgement {
  const { shadows } = judgement;
  if (judgement.kind === "allow") return { kind: "allow", advice: [], shadows };
  if (judgement.kind === "ask") {
    const { rule, question, place } = judgement;
    const asks = { rule, code: "policy", reason: question, place, asks: true } as const;
    return { kind: "allow", advice: [], shadows: [...shadows, asks] };
  }
  const { rule, code, reason, place, others } = judgement;
  return { kind: "allow", advice: [], shadows: [...shadows, { rule, code, reason, place }, ...others] };
}

/** Checks the built-in objections first, then asks the policies. */
function judge(slices: Slices, call: ToolCall, facts: Facts, env: CallEnvironment): Judged {
  const objection = objectionTo(slices, call, facts, env);
  if (objection !== undefined) return { judgement: objection, memos: NO_MEMOS };
  return checkPolicies(
    env.agent.policiesFor(call),
    call,
    slices.get(policyStatesSlice),
    { facts, session: env.view, permissions: permissionsOf(env.view.modes) },
    {
      stopwatch: env.stopwatch,
      limitMs: env.agent.agent.limits.checkMs ?? CHECK_MS,
      isGranted: ({ rule, key = env.argsHash }) => isGranted(slices.get(approvalsSlice), rule, key),
    },
  );
}

function objectionTo(slices: Slices, call: ToolCall, facts: Facts, env: CallEnvironment): Judgement | undefined {
  if (env.ended) return refusal("session", "session-ended", "This session has ended.", "Start a new session.");
  if (slices.get(inflightSlice).size >= MAX_INFLIGHT) {
    const reason = "Too many calls are still waiting for a result.";
    return refusal("session", "state-full", reason, "Wait for their results.");
  }
  const failures = slices.get(brokenSlice);
  const broken =
    failures.size === 0 ? undefined : env.agent.policiesFor(call).find((policy) => failures.has(policy.name));
  if (broken !== undefined) {
    const why = failures.get(broken.name);
    const reason = `Policy '${broken.name}' failed earlier in this session (${why}), so its state cannot be trusted.`;
    return refusal(broken.name, "policy-error", reason, "Tell the operator that this policy is broken; do not retry.");
  }
  const [fault] = Object.entries(facts.faults);
  if (fault !== undefined) {
    const [who, { code, message }] = fault;
    const files = "The files of this call could not be checked";
    const day = "The use of today could not be read, and `limits.day` is set";
    const what = who === "paths" ? files : who === "limits.day" ? day : `Policy '${who}' could not gather its facts`;
    return refusal(who, code, `${what}: ${message}.`, "Try once more. If it fails again, tell the operator.");
  }
  return env.exhausted === undefined ? undefined : overLimit(env.exhausted);
}

/** A denial by Conduct itself, not by a policy. */
function refusal(rule: string, code: DenyCode, reason: string, next: string): Extract<Judgement, { kind: "deny" }> {
  return { kind: "deny", rule, code, reason, missing: [], next, key: code, others: [], endTurn: false, shadows: [] };
}

/** For the person, who reads the agent's report. */
const REFRESHED = {
  turn: "The person's next message starts a new turn.",
  session: "A new session starts afresh: /new in a hosted conversation.",
  day: "The limit starts afresh at midnight in the user's time zone.",
} as const;

function overLimit(limit: Exhausted): Judgement {
  const next = `Stop now and report what is done and what is not. ${REFRESHED[limit.scope ?? "session"]}`;
  return refusal("limits", limit.what === "deadline" ? "deadline" : "budget", `The ${usedUp(limit)}.`, next);
}
