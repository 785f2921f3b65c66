import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Budget, Exhausted, Usage } from "../../base/words/budget.ts";

/** What is spent, and what is spoken for by calls and requests under way: each amount, and all of them together. */
export type Spending = { readonly usage: Usage; readonly reserved: PersistentMap<Usage>; readonly held: Usage };

/** Calls and requests that may be under way at once. */
const MAX_RESERVED = 1_000;

const NOTHING: Usage = { inputTokens: 0, outputTokens: 0, calls: 0, cost: 0 };

export const spendingSlice = defineSlice<Spending>({
  name: "spending",
  kind: "LOG",
  initial: { usage: NOTHING, reserved: PersistentMap.empty(), held: NOTHING },
});

/** Sets an amount aside before it is spent; a second reservation under the same id replaces the first. */
export function reserve(spending: Spending, id: string, amount: Partial<Usage>): Spending {
  const { usage, reserved, held } = release(spending, id);
  const wanted = clean(amount);
  return { usage, reserved: reserved.set(id, wanted), held: add(held, wanted) };
}

/** No further reservation is taken: whoever holds so many has lost track of them. */
export function reservationsFull(spending: Spending): boolean {
  return spending.reserved.size >= MAX_RESERVED;
}

/** The reservation is over: what was really spent counts, nothing when it was released. */
export function settle(spending: Spending, id: string, actual: Partial<Usage>): Spending {
  const { usage, reserved, held } = release(spending, id);
  return { usage: add(usage, clean(actual)), reserved, held };
}

function release(spending: Spending, id: string): Spending {
  const before = spending.reserved.get(id);
  if (before === undefined) return spending;
  const reserved = spending.reserved.delete(id);
  // Fractions of a cost do not add up to nothing by themselves.
  const held = reserved.size === 0 ? NOTHING : subtract(spending.held, before);
  return { usage: spending.usage, reserved, held };
}

/** Spent and set aside together: what a limit is compared with. */
export function committed(spending: Spending): Usage {
  return add(spending.usage, spending.held);
}

/**
 * The first limit that is used up, or that `wanted` would break, if any. A limit of N lets N through: exceeded means
 * strictly greater. `used` is what is spent and set aside, without what is wanted.
 */
export function exhausted(
  spending: Spending,
  budget: Budget,
  time: { readonly now: number; readonly startedAt: number; readonly deadline?: number },
  wanted: Partial<Usage> = {},
): Exhausted | undefined {
  if (time.deadline !== undefined && time.now >= time.deadline) {
    return { what: "deadline", limit: time.deadline, used: time.now };
  }
  const elapsed = time.now - time.startedAt;
  const used = figures(committed(spending), elapsed);
  const after = figures(add(committed(spending), clean(wanted)), elapsed);
  for (const what of LIMITS) {
    const limit = budget[what];
    // Written so that a limit that is no number is a limit all the same.
    if (limit !== undefined && !(after[what] <= limit)) return { what, limit, used: used[what] };
  }
  return undefined;
}

const LIMITS = ["tokens", "inputTokens", "outputTokens", "calls", "cost", "time"] as const;

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

function subtract(a: Usage, b: Usage): Usage {
  return {
    inputTokens: Math.max(0, a.inputTokens - b.inputTokens),
    outputTokens: Math.max(0, a.outputTokens - b.outputTokens),
    calls: Math.max(0, a.calls - b.calls),
    cost: Math.max(0, a.cost - b.cost),
  };
}

function add(a: Usage, b: Partial<Usage>): Usage {
  return {
    inputTokens: a.inputTokens + (b.inputTokens ?? 0),
    outputTokens: a.outputTokens + (b.outputTokens ?? 0),
    calls: a.calls + (b.calls ?? 0),
    cost: a.cost + (b.cost ?? 0),
  };
}

/** A runtime that reports NaN or a negative number must not give budget back. */
function clean(amount: Partial<Usage>): Usage {
  const { inputTokens = 0, outputTokens = 0, calls = 0, cost = 0 } = amount;
  return { inputTokens: real(inputTokens), outputTokens: real(outputTokens), calls: real(calls), cost: real(cost) };
}

function real(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}
