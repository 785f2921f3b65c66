import { errorText, isPromise } from "../../base/kernel/error-text.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Advice, Denial, Lifted, Objection, Question } from "../../base/words/decision.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Permissions } from "../../base/words/modes.ts";
import type { PolicyContext, PolicyDecision, RuleFinding } from "../../base/words/policy.ts";
import { DEFAULT_NEXT, distinct, nextStep } from "./missing-needs.ts";
import { type PolicyStates, stateOf } from "./policy-state.ts";

export type Stopwatch = { monotonic(): number };

/** Measures consecutive laps with one clock reading each. */
export class Laps {
  readonly #stopwatch: Stopwatch;
  #last: number;

  constructor(stopwatch: Stopwatch) {
    this.#stopwatch = stopwatch;
    this.#last = stopwatch.monotonic();
  }

  lap(): number {
    const now = this.#stopwatch.monotonic();
    const took = now - this.#last;
    this.#last = now;
    return took;
  }
}

type PolicyDenial = Omit<Denial, "kind" | "id" | "others" | "attemptsLeft"> & { readonly key?: string };
/** `always`: the rules and keys that a person may allow for the session. */
type PolicyQuestion = Pick<Question, "rule" | "place" | "question"> & {
  readonly key?: string;
  readonly always?: readonly Grantable[];
};
export type Grantable = { readonly rule: string; readonly key?: string };

/** The combined answer of all policies, before escalation and approvals. */
export type Judgement = {
  readonly shadows: readonly Objection[];
  /** The arguments as rewritten by policies, whatever the answer. */
  readonly input?: JsonObject;
  /** Restrictions that the session's permissions lifted. */
  readonly lifted?: readonly Lifted[];
  /** A person allowed something about this call for the session. */
  readonly granted?: true;
} & (
  | { readonly kind: "allow"; readonly advice: readonly Advice[] }
  | ({ readonly kind: "deny"; readonly others: readonly Objection[] } & PolicyDenial)
  | ({ readonly kind: "ask"; readonly advice: readonly Advice[] } & PolicyQuestion)
);

/** `memos`: what each policy gets back when it is told the decision. */
export type Judged = { readonly judgement: Judgement; readonly memos: ReadonlyMap<string, unknown> };

export const NO_MEMOS: ReadonlyMap<string, unknown> = new Map();

const NONE: readonly never[] = Object.freeze([]);

/** No policy had anything to say. Shared: callers only read it. */
const ALLOWED: Judged = Object.freeze({
  judgement: Object.freeze({ kind: "allow", advice: NONE, shadows: NONE }),
  memos: NO_MEMOS,
});

/** Absent while policies are only timed together. */
export type Timer = { readonly laps: Laps; readonly limitMs: number };

type Answers = {
  denials: PolicyDenial[];
  questions: PolicyQuestion[];
  advice: Advice[];
  shadows: Objection[];
  lifted: Lifted[];
  input?: JsonObject;
  granted?: true;
};

/**
 * Asks every policy; a policy that fails denies and affects no other answer. A denial beats a question. The first denial is
 * reported, or the one that ends the turn, with the others listed after it. `missing` has the needs of all of them.
 */
export function checkPolicies(
  policies: readonly AnyPolicy[],
  call: ToolCall,
  states: PolicyStates,
  context: Omit<PolicyContext, "state">,
  { stopwatch, limitMs, isGranted = notGranted }: CheckOptions,
): Judged {
  return timedTogether({ stopwatch, limitMs }, (timer) => askAll(policies, call, states, context, isGranted, timer));
}

type CheckOptions = {
  readonly stopwatch: Stopwatch;
  readonly limitMs: number;
  /** Whether a person allowed this for the session. */
  readonly isGranted?: (what: Grantable) => boolean;
};

function notGranted(): boolean {
  return false;
}

/**
 * Reads the clock for all policies together. A slow answer is usually a pause of the machine: if they took too long, they
 * run once more, each with its own time.
 */
export function timedTogether<T>(
  { stopwatch, limitMs }: { readonly stopwatch: Stopwatch; readonly limitMs: number },
  run: (timer?: Timer) => T,
): T {
  const started = stopwatch.monotonic();
  const done = run();
  return stopwatch.monotonic() - started <= limitMs ? done : run({ laps: new Laps(stopwatch), limitMs });
}

function askAll(
  policies: readonly AnyPolicy[],
  call: ToolCall,
  states: PolicyStates,
  { facts, session, permissions }: Omit<PolicyContext, "state">,
  isGranted: (what: Grantable) => boolean,
  timer: Timer | undefined,
): Judged {
  let answers: Answers | undefined;
  let memos: Map<string, unknown> | undefined;
  const stateless = { state: null, facts, session, permissions };
  for (const policy of policies) {
    const state = stateOf(states, policy);
    const context = state === null ? stateless : { state, facts, session, permissions };
    const answer = askPolicy(policy, call, context, timer);
    if (answer.kind === "rules" && answer.memo !== undefined) {
      memos ??= new Map();
      memos.set(policy.name, answer.memo);
    }
    // Most policies only allow, and then there is nothing to collect.
    if (answer.kind === "allow" && answer.advice === undefined && answer.lifted === undefined) continue;
    answers ??= { denials: [], questions: [], advice: [], shadows: [], lifted: [] };
    collect(answers, policy.name, answer, permissions, isGranted);
  }
  if (answers === undefined) return ALLOWED;
  return { judgement: judgementOf(answers), memos: memos ?? NO_MEMOS };
}

function askPolicy(
  policy: AnyPolicy,
  call: ToolCall,
  context: PolicyContext,
  timer: Timer | undefined,
): PolicyDecision {
  let answer: unknown;
  try {
    answer = policy.check(call, context);
  } catch (error) {
    return failed(policy, "policy-error", `failed: ${errorText(error)}`);
  }
  const took = timer?.laps.lap() ?? 0;
  if (timer === undefined || took <= timer.limitMs) return readAnswer(policy, answer);
  return failed(policy, "policy-timeout", `took ${Math.round(took)} ms; the limit is ${timer.limitMs} ms`);
}

/** The answer comes from foreign code: even reading it may throw. */
function readAnswer(policy: AnyPolicy, answer: unknown): PolicyDecision {
  try {
    if (isPolicyDecision(answer)) {
      const undeclared = answer.kind === "rules" && answer.input !== undefined && policy.rewrites !== true;
      return undeclared ? failed(policy, "policy-error", "rewrites arguments without declaring `rewrites`") : answer;
    }
    if (!isPromise(answer)) return failed(policy, "policy-error", "returned no decision");
    return failed(policy, "policy-error", "returned a promise; move asynchronous work to `gather`");
  } catch (error) {
    return failed(policy, "policy-error", `returned a decision that cannot be read: ${errorText(error)}`);
  }
}

function failed(policy: AnyPolicy, code: "policy-error" | "policy-timeout", what: string): PolicyDecision {
  return {
    kind: "deny",
    code,
    reason: `Policy '${policy.name}' ${what}. Calls it governs are denied until it is fixed.`,
    next: "Tell the operator that this policy is broken; do not retry.",
    key: policy.name,
  };
}

function isPolicyDecision(answer: unknown): answer is PolicyDecision {
  if (typeof answer !== "object" || answer === null || !("kind" in answer)) return false;
  switch (answer.kind) {
    case "allow":
      return listOrNothing(answer, "advice");
    case "ask":
      return "question" in answer && typeof answer.question === "string";
    case "deny":
      return "reason" in answer && typeof answer.reason === "string" && listOrNothing(answer, "missing");
    case "rules":
      return "findings" in answer && Array.isArray(answer.findings);
    default:
      return false;
  }
}

function listOrNothing(answer: object, name: string): boolean {
  const value: unknown = Reflect.get(answer, name);
  return value === undefined || Array.isArray(value);
}

function collect(
  answers: Answers,
  rule: string,
  answer: PolicyDecision,
  permissions: Permissions,
  isGranted: (what: Grantable) => boolean,
): void {
  switch (answer.kind) {
    case "allow":
      if (answer.advice !== undefined) answers.advice.push(...answer.advice);
      if (answer.lifted !== undefined && lifts(permissions, answer.lifted)) answers.lifted.push(answer.lifted);
      return;
    case "deny": {
      const { code = "policy", reason, missing = [], next = DEFAULT_NEXT, key } = answer;
      answers.denials.push({ rule, code, reason, missing, next, key, endTurn: false });
      return;
    }
    case "ask":
      answers.questions.push({ rule, question: answer.question, key: answer.key });
      return;
    case "rules":
      if (answer.input !== undefined) answers.input = { ...answers.input, ...answer.input };
      for (const finding of answer.findings) collectFinding(answers, finding, isGranted);
  }
}

/** A policy may claim a lifted restriction that the permissions do not lift. */
function lifts(permissions: Permissions, what: Lifted): boolean {
  return what === "workspace" ? !permissions.restrictToWorkspace : what === "high-risk" && permissions.allowHighRisk;
}

function collectFinding(answers: Answers, finding: RuleFinding, isGranted: (what: Grantable) => boolean): void {
  const { rule, place, effect, reason, missing, next, key } = finding;
  const always = finding.always && { rule, key: finding.always.key };
  const code = missing.length === 0 ? "policy" : "missing-prerequisite";
  switch (effect) {
    case "end-turn":
    case "deny":
    case "soft-deny":
      answers.denials.push({ rule, place, code, reason, missing, next, key, endTurn: effect === "end-turn" });
      return;
    case "ask":
      if (always !== undefined && isGranted(always)) answers.granted = true;
      else answers.questions.push({ rule, place, question: reason, key, always: always && [always] });
      return;
    case "warn":
    case "remind":
      answers.advice.push({ rule, text: reason, level: effect });
      return;
    case "shadow":
      answers.shadows.push({ rule, code, reason, place });
  }
}

function judgementOf({ denials, questions, advice, shadows, lifted, input, granted }: Answers): Judgement {
  if (denials.length + questions.length + lifted.length === 0) {
    return { kind: "allow", advice, shadows, input, granted, lifted: undefined };
  }
  const [first, ...rest] =
    denials.length < 2 ? denials : denials.toSorted((a, b) => Number(b.endTurn) - Number(a.endTurn));
  if (first !== undefined) {
    const others = rest.map(({ rule, code, reason, place }) => ({ rule, code, reason, place }));
    const missing = distinct(denials.flatMap((one) => one.missing));
    // No step helps if one of the rules always denies the call.
    const final = denials.find((one) => nextStep(one.missing) === DEFAULT_NEXT);
    // A policy of its own may propose another step.
    const own = first.next === nextStep(first.missing) ? nextStep(missing) : first.next;
    const next = final?.next ?? own;
    return { kind: "deny", ...first, missing, next, others, shadows, input };
  }
  const shared = { advice, shadows, input, granted, lifted: lifted.length === 0 ? undefined : [...new Set(lifted)] };
  return questions.length === 0 ? { kind: "allow", ...shared } : { kind: "ask", ...askForAll(questions), ...shared };
}

/** One question for all policies that ask: a yes answers every one of them. */
function askForAll(questions: readonly PolicyQuestion[]): PolicyQuestion {
  const [only, ...more] = questions;
  if (only !== undefined && more.length === 0) return only;
  const always = questions.map((one) => one.always ?? []);
  return {
    always: always.every((list) => list.length > 0) ? always.flat() : undefined,
    rule: questions.map(({ rule }) => rule).join(" + "),
    question: questions.map(({ rule, question }) => `${rule}: ${question}`).join("\n"),
  };
}
