import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Budget, Exhausted, LimitScope, Usage } from "../../base/words/budget.ts";

/** `reserved`: amounts of running calls and requests by id; `held`: their sum. */
export type Spending = { readonly usage: Usage; readonly reserved: PersistentMap<Usage>; readonly held: Usage };

/** Calls and requests that may run at once. */
const MAX_RESERVED = 1_000;

export const NOTHING: Usage = { inputTokens: 0, outputTokens: 0, calls: 0, cost: 0 };

export const spendingSlice = defineSlice<Spending>({
  name: "spending",
  kind: "LOG",
  initial: { usage: NOTHING, reserved: PersistentMap.empty(), held: NOTHING },
});

/** A second reservation with the same id replaces the first. */
export function reserve(spending: Spending, id: string, amount: Partial<Usage>): Spending {
  const { usage, reserved, held } = release(spending, id);
  const wanted = clean(amount);
  return { usage, reserved: reserved.set(id, wanted), held: addUsage(held, wanted) };
}

export function reservationsFull(spending: Spending): boolean {
  return spending.reserved.size >= MAX_RESERVED;
}

/** Replaces a reservation by what was really spent. */
export function settle(spending: Spending, id: string, actual: Partial<Usage>): Spending {
  const { usage, reserved, held } = release(spending, id);
  return { usage: addUsage(usage, clean(actual)), reserved, held };
}

function release(spending: Spending, id: string): Spending {
  const before = spending.reserved.get(id);
  if (before === undefined) return spending;
  const reserved = spending.reserved.delete(id);
  // Fractions of a cost may not add up to exactly zero.
  const held = reserved.size === 0 ? NOTHING : addUsage(spending.held, before, -1);
  return { usage: spending.usage, reserved, held };
}

/** Spent and reserved amounts together. */
export function committed(spending: Spending): Usage {
  return addUsage(spending.usage, spending.held);
}

/** What is used and held in a scope, how long it has lasted, and its deadline if it has one. */
export type ScopeSpending = {
  readonly scope: LimitScope;
  readonly budget: Budget;
  readonly used: Usage;
  readonly elapsed: number;
  readonly now: number;
  readonly deadline?: number | undefined;
};

/**
 * The first limit that `wanted` would exceed, in the order of the scopes. A limit of N allows N. `used` does not include
 * `wanted`.
 */
export function exhausted(scopes: readonly ScopeSpending[], wanted: Partial<Usage> = {}): Exhausted | undefined {
  for (const { scope, budget, used, elapsed, now, deadline } of scopes) {
    const isSession = scope === "session";
    // Recordings of earlier versions have no scope: it stays absent for a session.
    const where = isSession ? {} : { scope };
    if (deadline !== undefined && now >= deadline) return { what: "deadline", limit: deadline, used: now, ...where };
    // Most scopes have no limit, and nothing to add up.
    if (hasNoLimit(budget)) continue;
    const before = figures(used, elapsed);
    const after = figures(addUsage(used, clean(wanted)), elapsed);
    for (const what of LIMITS) {
      const limit = budget[what];
      // A limit of NaN is a limit too.
      if (limit !== undefined && !(after[what] <= limit)) return { what, limit, used: before[what], ...where };
    }
  }
  return undefined;
}

const LIMITS = ["tokens", "inputTokens", "outputTokens", "calls", "cost", "time"] as const;

export function hasNoLimit(budget: Budget): boolean {
  for (const what of LIMITS) if (budget[what] !== undefined) return false;
  return true;
}

function figures({ inputTokens, outputTokens, calls, cost }: Usage, time: number): Required<Budget> {
  return { tokens: inputTokens + outputTokens, inputTokens, outputTokens, calls, cost, time };
}

/** The stricter of two budgets, limit by limit. */
export function tighterBudget(a: Budget, b: Budget): Budget {
  return Object.fromEntries(
    LIMITS.flatMap((what) => {
      const limits = [a[what], b[what]].filter((limit) => limit !== undefined);
      return limits.length === 0 ? [] : [[what, Math.min(...limits)]];
    }),
  );
}

/** `sign` -1 subtracts; no amount becomes negative. */
export function addUsage(a: Usage, b: Usage, sign = 1): Usage {
  return {
    inputTokens: Math.max(0, a.inputTokens + sign * b.inputTokens),
    outputTokens: Math.max(0, a.outputTokens + sign * b.outputTokens),
    calls: Math.max(0, a.calls + sign * b.calls),
    cost: Math.max(0, a.cost + sign * b.cost),
  };
}

/** A runtime that reports NaN or a negative number must not give budget back. */
function clean(amount: Partial<Usage>): Usage {
  return {
    inputTokens: real(amount.inputTokens),
    outputTokens: real(amount.outputTokens),
    calls: real(amount.calls),
    cost: real(amount.cost),
  };
}

function real(value = 0): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

export function eachAmount(of: (what: keyof Usage) => number): Usage {
  return { inputTokens: of("inputTokens"), outputTokens: of("outputTokens"), calls: of("calls"), cost: of("cost") };
}
