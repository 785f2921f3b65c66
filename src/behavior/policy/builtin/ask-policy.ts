import { errorText } from "../../../base/kernel/error-text.ts";
import type { ToolCall } from "../../../base/words/call.ts";
import type { AnyPolicy } from "../../../base/words/hosting/agent.ts";
import type { PolicyContext, PolicyDecision } from "../../../base/words/policy.ts";

export type Stopwatch = { monotonic(): number };

/** The time from one look to the next: for many that are timed one after the other, with half as many looks at the clock. */
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

/** A policy that seems slow is asked so often: mostly the machine stood still, and not the policy. */
export const ATTEMPTS = 2;

/** One policy's answer, whatever the policy does: one that throws, takes too long again and again or answers nonsense denies. */
export function askPolicy(
  policy: AnyPolicy,
  call: ToolCall,
  context: PolicyContext,
  laps: Laps,
  limitMs: number,
): PolicyDecision {
  let took = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let answer: unknown;
    try {
      answer = policy.check(call, context);
    } catch (error) {
      return failed(policy, "policy-error", `failed: ${errorText(error)}`);
    }
    took = laps.lap();
    if (took <= limitMs) return readAnswer(policy, answer);
  }
  return failed(policy, "policy-timeout", `took ${Math.round(took)} ms, and may take ${limitMs}`);
}

/** What came back is foreign: even looking at it may throw. */
function readAnswer(policy: AnyPolicy, answer: unknown): PolicyDecision {
  try {
    if (isPolicyDecision(answer)) {
      const undeclared = answer.kind === "rules" && answer.input !== undefined && policy.rewrites !== true;
      return undeclared ? failed(policy, "policy-error", "rewrites arguments without declaring `rewrites`") : answer;
    }
    if (!isThenable(answer)) return failed(policy, "policy-error", "gave no decision");
    // Its rejection, if any, has been answered by this denial.
    answer.then(undefined, () => {});
    return failed(policy, "policy-error", "answered with a promise: whatever has to wait belongs in `gather`");
  } catch (error) {
    return failed(policy, "policy-error", `gave no decision that can be read: ${errorText(error)}`);
  }
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

function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  return typeof answer === "object" && answer !== null && "then" in answer && typeof answer.then === "function";
}
