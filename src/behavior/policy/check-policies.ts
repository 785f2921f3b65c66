import { errorText } from "../../base/kernel/error-text.ts";
import type { AnyPolicy } from "../../base/words/agent.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Advice, DenyCode, Missing, Objection } from "../../base/words/decision.ts";
import type { PolicyContext, PolicyDecision } from "../../base/words/policy.ts";
import { type PolicyStates, stateOf } from "./policy-states.ts";

/** What all policies together say of a call, before escalation and approvals have their word. */
export type Judgement =
  | { readonly kind: "allow"; readonly advice: readonly Advice[] }
  | {
      readonly kind: "deny";
      readonly rule: string;
      readonly code: DenyCode;
      readonly reason: string;
      readonly missing: readonly Missing[];
      readonly next: string;
      readonly key?: string;
      readonly others: readonly Objection[];
    }
  | { readonly kind: "ask"; readonly rule: string; readonly question: string };

export type Stopwatch = { monotonic(): number };

/**
 * All policies are asked, none can spoil another's answer, and whatever goes wrong denies.
 * The first denial in order is the one reported, with all others beside it; a denial is stronger than a question.
 */
export function checkPolicies(
  policies: readonly AnyPolicy[],
  call: ToolCall,
  states: PolicyStates,
  context: Omit<PolicyContext, "state">,
  time: { readonly stopwatch: Stopwatch; readonly limitMs: number },
): Judgement {
  const denials: (Extract<PolicyDecision, { kind: "deny" }> & { readonly rule: string })[] = [];
  const advice: Advice[] = [];
  let question: Judgement | undefined;
  for (const policy of policies) {
    const answer = askPolicy(policy, call, { ...context, state: stateOf(states, policy) }, time);
    if (answer.kind === "deny") denials.push({ ...answer, rule: policy.name });
    else if (answer.kind === "ask") question ??= { kind: "ask", rule: policy.name, question: answer.question };
    else if (answer.advice !== undefined) advice.push(...answer.advice);
  }
  const [first, ...rest] = denials;
  if (first === undefined) return question ?? { kind: "allow", advice };
  return {
    kind: "deny",
    rule: first.rule,
    code: first.code ?? "policy",
    reason: first.reason,
    missing: first.missing ?? [],
    next: first.next ?? "Do it another way, or ask the person you work for.",
    ...(first.key === undefined ? {} : { key: first.key }),
    others: rest.map(({ rule, code, reason }) => ({ rule, code: code ?? "policy", reason })),
  };
}

function askPolicy(
  policy: AnyPolicy,
  call: ToolCall,
  context: PolicyContext,
  { stopwatch, limitMs }: { readonly stopwatch: Stopwatch; readonly limitMs: number },
): PolicyDecision {
  const started = stopwatch.monotonic();
  let answer: unknown;
  try {
    answer = policy.check(call, context);
  } catch (error) {
    return failed(policy, "policy-error", `failed: ${errorText(error)}`);
  }
  const took = stopwatch.monotonic() - started;
  if (took > limitMs) return failed(policy, "policy-timeout", `took ${Math.round(took)} ms, and may take ${limitMs}`);
  if (isPolicyDecision(answer)) return answer;
  if (isThenable(answer)) {
    // Its rejection, if any, has been answered by this denial.
    answer.then(undefined, () => {});
    return failed(policy, "policy-error", "answered with a promise: whatever has to wait belongs in `gather`");
  }
  return failed(policy, "policy-error", "gave no decision");
}

function failed(policy: AnyPolicy, code: "policy-error" | "policy-timeout", what: string): PolicyDecision {
  return {
    kind: "deny",
    code,
    reason: `Policy '${policy.name}' ${what}. Calls it governs are denied until it is mended.`,
    next: "Tell the operator that this policy is broken; do not retry.",
    key: policy.name,
  };
}

function isPolicyDecision(answer: unknown): answer is PolicyDecision {
  if (typeof answer !== "object" || answer === null || !("kind" in answer)) return false;
  if (answer.kind === "deny") return "reason" in answer && typeof answer.reason === "string";
  if (answer.kind === "ask") return "question" in answer && typeof answer.question === "string";
  return answer.kind === "allow";
}

function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  return typeof answer === "object" && answer !== null && "then" in answer && typeof answer.then === "function";
}
