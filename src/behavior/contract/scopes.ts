import type { ContractScope, ContractView } from "../../base/words/contract.ts";

/** In merge order. */
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

/** The position of a scope in the block: wider scopes come first. */
export function rankOf(scope: ContractScope): number {
  return KINDS.indexOf(kindOf(scope));
}

/** The scopes of one block, in order. */
export function scopesOf({ agent, channel, user }: ContractView): readonly ContractScope[] {
  const scopes: ContractScope[] = ["global"];
  if (agent !== undefined) scopes.push(`agent:${agent}`);
  if (channel !== undefined) scopes.push(`channel:${channel}`);
  if (user !== undefined) scopes.push(`user:${user}`);
  return scopes;
}

/** The smallest view that includes a scope. */
export function viewOf(scope: ContractScope): ContractView {
  const kind = kindOf(scope);
  return kind === "global" ? {} : { [kind]: scope.slice(kind.length + 1) };
}

/** True if both can be in one block: two agents, channels or users never are. */
export function meet(a: ContractScope, b: ContractScope): boolean {
  return a === b || kindOf(a) !== kindOf(b);
}

/** True if `wide` is in every block that has `narrow`. */
export function covers(wide: ContractScope, narrow: ContractScope): boolean {
  return wide === narrow || wide === "global";
}
