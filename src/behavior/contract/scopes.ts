import type { ContractScope, ContractView } from "../../base/words/contract.ts";

/** In the order in which they are merged. */
const KINDS = ["global", "agent", "channel", "user"] as const;
type ScopeKind = (typeof KINDS)[number];

/** `global`, or `agent:`, `channel:` or `user:` and a name without spaces. */
export function isScope(text: unknown): text is ContractScope {
  if (text === "global") return true;
  return typeof text === "string" && /^(?:agent|channel|user):[^\s\p{Cc}\p{Cf}\p{Cs}]{1,200}$/u.test(text);
}

export function kindOf(scope: ContractScope): ScopeKind {
  return KINDS.find((kind) => scope.startsWith(kind)) ?? "global";
}

/** Where a scope stands in the block: wider ones come first. */
export function rankOf(scope: ContractScope): number {
  return KINDS.indexOf(kindOf(scope));
}

/** The scopes that make one block, in their order. */
export function scopesOf({ agent, channel, user }: ContractView): readonly ContractScope[] {
  return [
    "global",
    ...(agent === undefined ? [] : [`agent:${agent}` as const]),
    ...(channel === undefined ? [] : [`channel:${channel}` as const]),
    ...(user === undefined ? [] : [`user:${user}` as const]),
  ];
}

/** The smallest view in which a scope counts. */
export function viewOf(scope: ContractScope): ContractView {
  const kind = kindOf(scope);
  return kind === "global" ? {} : { [kind]: scope.slice(kind.length + 1) };
}

/** Can both stand in one block? Two agents, channels or users never do. */
export function meet(a: ContractScope, b: ContractScope): boolean {
  return a === b || kindOf(a) !== kindOf(b);
}

/** Wherever `narrow` counts, `wide` does too. */
export function covers(wide: ContractScope, narrow: ContractScope): boolean {
  return wide === narrow || wide === "global";
}
