import type { ToolCall } from "../../base/words/call.ts";
import type { Advice, DenyCode, Lifted, Missing, Objection } from "../../base/words/decision.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Permissions } from "../../base/words/modes.ts";
import type { PolicyContext, PolicyDecision, RuleFinding } from "../../base/words/policy.ts";
import type { Place } from "../../base/words/rule.ts";
import { askPolicy, Laps, type Stopwatch } from "./builtin/ask-policy.ts";
import { type PolicyStates, stateOf } from "./policy-states.ts";

/** What all policies together say of a call, before escalation and approvals have their word. */
export type Judgement = {
  readonly shadows: readonly Objection[];
  /** The arguments as policies rewrite them, whatever they then say. */
  readonly input?: JsonObject;
  /** What the permissions lifted; absent when nothing. */
  readonly lifted?: readonly Lifted[];
} & (
  | { readonly kind: "allow"; readonly advice: readonly Advice[] }
  | {
      readonly kind: "deny";
      readonly rule: string;
      readonly place?: Place;
      readonly code: DenyCode;
      readonly reason: string;
      readonly missing: readonly Missing[];
      readonly next: string;
      readonly key?: string;
      readonly others: readonly Objection[];
      readonly endTurn: boolean;
    }
  | {
      readonly kind: "ask";
      readonly rule: string;
      readonly place?: Place;
      readonly question: string;
      readonly key?: string;
      readonly advice: readonly Advice[];
    }
);

/** The judgement, and what each policy wants to be reminded of when it hears the decision. */
export type Judged = { readonly judgement: Judgement; readonly memos: ReadonlyMap<string, unknown> };

type Denial = Omit<Extract<PolicyDecision, { kind: "deny" }>, "kind"> & {
  readonly rule: string;
  readonly place?: Place;
  readonly endTurn: boolean;
};
type Question = Omit<Extract<PolicyDecision, { kind: "ask" }>, "kind"> & {
  readonly rule: string;
  readonly place?: Place;
};
type Heard = {
  denials: Denial[];
  questions: Question[];
  advice: Advice[];
  shadows: Objection[];
  lifted: Lifted[];
  input?: JsonObject;
};

/**
 * All policies are asked, none can spoil another's answer, and whatever goes wrong denies. The first denial in order is the
 * one reported, one that ends the turn before all, with all others beside it; a denial is stronger than a question.
 */
export function checkPolicies(
  policies: readonly AnyPolicy[],
  call: ToolCall,
  states: PolicyStates,
  { facts, session, permissions }: Omit<PolicyContext, "state">,
  { stopwatch, limitMs }: { readonly stopwatch: Stopwatch; readonly limitMs: number },
): Judged {
  const heard: Heard = { denials: [], questions: [], advice: [], shadows: [], lifted: [] };
  const memos = new Map<string, unknown>();
  const laps = new Laps(stopwatch);
  for (const policy of policies) {
    const answer = askPolicy(
      policy,
      call,
      { state: stateOf(states, policy), facts, session, permissions },
      laps,
      limitMs,
    );
    if (answer.kind === "rules" && answer.memo !== undefined) memos.set(policy.name, answer.memo);
    hear(heard, policy.name, answer, permissions);
  }
  return { judgement: judgementOf(heard), memos };
}

function hear(heard: Heard, rule: string, answer: PolicyDecision, permissions: Permissions): void {
  switch (answer.kind) {
    case "allow":
      if (answer.advice !== undefined) heard.advice.push(...answer.advice);
      if (answer.lifted !== undefined && lifts(permissions, answer.lifted)) heard.lifted.push(answer.lifted);
      return;
    case "deny":
      heard.denials.push({ ...answer, rule, endTurn: false });
      return;
    case "ask":
      heard.questions.push({ ...answer, rule });
      return;
    case "rules":
      if (answer.input !== undefined) heard.input = { ...heard.input, ...answer.input };
      for (const finding of answer.findings) hearFinding(heard, finding);
      return;
  }
}

/** Only what the permissions really lift: a policy's word alone is not shown as an elevation. */
function lifts(permissions: Permissions, what: Lifted): boolean {
  return what === "workspace" ? !permissions.restrictToWorkspace : what === "high-risk" && permissions.allowHighRisk;
}

function hearFinding(heard: Heard, finding: RuleFinding): void {
  const { rule, reason, missing, next, key } = finding;
  const at = finding.place === undefined ? {} : { place: finding.place };
  const code = missing.length === 0 ? "policy" : "missing-prerequisite";
  switch (finding.effect) {
    case "end-turn":
    case "deny":
    case "soft-deny":
      heard.denials.push({ rule, ...at, reason, missing, next, key, code, endTurn: finding.effect === "end-turn" });
      return;
    case "ask":
      heard.questions.push({ rule, ...at, question: reason, key });
      return;
    case "warn":
    case "remind":
      heard.advice.push({ rule, text: reason, level: finding.effect });
      return;
    case "shadow":
      heard.shadows.push({ rule, code, reason, ...at });
      return;
  }
}

function judgementOf({ denials, questions, advice, shadows, lifted, input }: Heard): Judgement {
  const rewritten = input === undefined ? {} : { input };
  const free = lifted.length === 0 ? {} : { lifted: [...new Set(lifted)] };
  const [first, ...rest] =
    denials.length < 2 ? denials : denials.toSorted((a, b) => Number(b.endTurn) - Number(a.endTurn));
  if (first === undefined) {
    return questions.length > 0
      ? { kind: "ask", ...askAll(questions), advice, shadows, ...rewritten, ...free }
      : { kind: "allow", advice, shadows, ...rewritten, ...free };
  }
  return {
    kind: "deny",
    rule: first.rule,
    ...placeOf(first),
    code: first.code ?? "policy",
    reason: first.reason,
    missing: first.missing ?? [],
    next: first.next ?? "Do it another way, or ask the person you work for.",
    ...(first.key === undefined ? {} : { key: first.key }),
    others: rest.map((one) => ({
      rule: one.rule,
      code: one.code ?? "policy",
      reason: one.reason,
      ...placeOf(one),
    })),
    endTurn: first.endTurn,
    shadows,
    ...rewritten,
  };
}

function placeOf({ place }: { readonly place?: Place }): { readonly place?: Place } {
  return place === undefined ? {} : { place };
}

/** One question for all that ask: a yes is a yes to every one of them, and each is read out. */
function askAll(questions: readonly Question[]): {
  readonly rule: string;
  readonly place?: Place;
  readonly question: string;
  readonly key?: string;
} {
  const [only, ...more] = questions;
  if (only !== undefined && more.length === 0) {
    const key = only.key === undefined ? {} : { key: only.key };
    return { rule: only.rule, ...placeOf(only), question: only.question, ...key };
  }
  const rule = questions.map((one) => one.rule).join(" + ");
  return { rule, question: questions.map((one) => `${one.rule}: ${one.question}`).join("\n") };
}
