import { checkOptions, listOf, optional, shape, text } from "../../base/kernel/check-options.ts";
import type { DenyCode, Missing } from "../../base/words/decision.ts";
import type { Facts, PathFact } from "../../base/words/facts.ts";
import type { PolicyDecision } from "../../base/words/policy.ts";

const ALLOW: PolicyDecision = { kind: "allow" };

export function allow(): PolicyDecision {
  return ALLOW;
}

/** The fact about a path. The model chooses the paths, so inherited properties such as `constructor` must not match. */
export function pathFact({ paths }: Facts, path: string): PathFact | undefined {
  return Object.hasOwn(paths, path) ? paths[path] : undefined;
}

/** `next` should name the one step that would unblock the call. */
export function deny(
  reason = "Denied by policy.",
  more: {
    readonly code?: DenyCode;
    readonly missing?: readonly Missing[];
    readonly next?: string;
    readonly key?: string;
  } = {},
): PolicyDecision {
  checkOptions("deny", more, DENY);
  return { kind: "deny", reason, ...more };
}

/** A person decides; elevated sessions answer yes by themselves. */
export function ask(question: string, more: { readonly key?: string } = {}): PolicyDecision {
  checkOptions("ask", more, { key: optional(text) });
  return { kind: "ask", question, ...more };
}

const DENY = {
  code: optional(text),
  missing: optional(listOf(shape({ what: text, why: text }))),
  next: optional(text),
  key: optional(text),
};
