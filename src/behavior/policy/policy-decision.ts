import { checkOptions, listOf, optional, type ShapesOf, shape, text } from "../../base/kernel/check-options.ts";
import type { Facts, PathFact } from "../../base/words/facts.ts";
import type { PolicyDecision } from "../../base/words/policy.ts";

const ALLOW: PolicyDecision = { kind: "allow" };

/** Returns the decision of a policy that has no objection. */
export function allow(): PolicyDecision {
  return ALLOW;
}

/** The fact about a path. The model chooses the paths, so inherited properties such as `constructor` must not match. */
export function pathFact({ paths }: Facts, path: string): PathFact | undefined {
  return Object.hasOwn(paths, path) ? paths[path] : undefined;
}

/** `next` should name the one step that would unblock the call. */
export function deny(reason = "Denied by policy.", more: DenyOptions = {}): PolicyDecision {
  checkOptions("deny", more, DENY);
  return { kind: "deny", reason, ...more };
}

/** A person decides; elevated sessions answer yes by themselves. */
export function ask(question: string, more: { readonly key?: string } = {}): PolicyDecision {
  checkOptions("ask", more, { key: optional(text) });
  return { kind: "ask", question, ...more };
}

type DenyOptions = Omit<Extract<PolicyDecision, { readonly kind: "deny" }>, "kind" | "reason">;

const DENY: ShapesOf<DenyOptions> = {
  code: optional(text),
  missing: optional(listOf(shape({ what: text, why: text }))),
  next: optional(text),
  key: optional(text),
};
