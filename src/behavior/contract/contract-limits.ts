import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { ActiveBehaviorContract, BehaviorDirective, ContractScope } from "../../base/words/contract.ts";
import { contractLines, renderContract } from "./active-contract.ts";
import { allDirectives, type ContractState } from "./contract-state.ts";
import { kindOf, rankOf } from "./scopes.ts";

/** The limits of one block, and how long a candidate waits. */
export type ContractLimits = { readonly items: number; readonly tokens: number; readonly candidateMs: number };

export const CONTRACT_LIMITS: ContractLimits = { items: 24, tokens: 2_000, candidateMs: 7 * 86_400_000 };

const MAX_ITEMS = 200;

/** `note`: why the configured cap is ignored. */
export type ContractCap = { readonly limits: ContractLimits; readonly note?: string };

/** The limits with the cap of `CONDUCT_CONTRACT_CAP`. An invalid cap is ignored. */
export function readCap(written: string | undefined): ContractCap {
  if (written === undefined || written.trim() === "") return { limits: CONTRACT_LIMITS };
  const items = /^\s*\d{1,9}\s*$/.test(written) ? Number(written) : 0;
  if (items >= 1 && items <= MAX_ITEMS) return { limits: { ...CONTRACT_LIMITS, items } };
  const note = `The cap '${written.slice(0, 40)}' is not a whole number from 1 to ${MAX_ITEMS}: ${CONTRACT_LIMITS.items} is used.`;
  return { limits: CONTRACT_LIMITS, note };
}

/** The largest block that a conversation can have. Any agent may meet any channel and any user. */
export type FullestBlock = {
  readonly items: number;
  readonly tokens: number;
  readonly scopes: readonly ContractScope[];
};

type Load = { readonly scope: ContractScope; readonly items: number; readonly tokens: number };

export function fullestBlock(
  directives: readonly BehaviorDirective[],
  by: "items" | "tokens",
  counter: Pick<TokenCounter, "count">,
): FullestBlock {
  const fullest = new Map<string, Load>();
  for (const [scope, own] of Map.groupBy(directives, (directive) => directive.scope)) {
    const tokens = contractLines(own).reduce((sum, line) => sum + counter.count(`${line}\n`), 0);
    const load = { scope, items: own.length, tokens };
    const kind = kindOf(scope);
    if (load[by] > (fullest.get(kind)?.[by] ?? 0)) fullest.set(kind, load);
  }
  const loads = [...fullest.values()].sort((a, b) => rankOf(a.scope) - rankOf(b.scope));
  return {
    items: loads.reduce((sum, { items }) => sum + items, 0),
    tokens: loads.reduce((sum, { tokens }) => sum + tokens, 0),
    scopes: loads.map(({ scope }) => scope),
  };
}

/** Why the change exceeds a limit. A block that exceeded it before may shrink or stay. */
export function overCap(
  before: readonly BehaviorDirective[],
  after: readonly BehaviorDirective[],
  limits: ContractLimits,
  counter: Pick<TokenCounter, "count">,
): string | undefined {
  for (const by of ["items", "tokens"] as const) {
    const full = fullestBlock(after, by, counter);
    if (full[by] <= limits[by] || full[by] <= fullestBlock(before, by, counter)[by]) continue;
    return `The contract of ${full.scopes.join(" + ")} would have ${full[by]} ${by === "items" ? "directives" : "tokens"}, and it may have ${limits[by]}.`;
  }
  return undefined;
}

/** The size of a block, of the largest possible blocks, and the limits. */
export type ContractUsage = {
  readonly tokens: number;
  readonly fullest: { readonly items: FullestBlock; readonly tokens: FullestBlock };
  readonly most: Pick<ContractLimits, "items" | "tokens">;
};

export function contractUsage(
  state: ContractState,
  contract: ActiveBehaviorContract,
  counter: Pick<TokenCounter, "count">,
  { items, tokens }: ContractLimits,
): ContractUsage {
  const all = allDirectives(state);
  return {
    tokens: counter.count(renderContract(contract)),
    fullest: { items: fullestBlock(all, "items", counter), tokens: fullestBlock(all, "tokens", counter) },
    most: { items, tokens },
  };
}
