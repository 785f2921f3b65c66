import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Budget, Exhausted, Usage } from "../../base/words/budget.ts";
import type { Slice } from "../../base/words/slice.ts";

/** What is spent, and what is spoken for by calls and requests under way. */
export type Spending = { readonly usage: Usage; readonly reserved: PersistentMap<Usage> };

const NOTHING: Usage = { inputTokens: 0, outputTokens: 0, calls: 0, cost: 0 };

export const spendingSlice: Slice<Spending> = {
  name: "spending",
  kind: "LOG",
  initial: { usage: NOTHING, reserved: PersistentMap.empty() },
};

/** Sets an amount aside before it is spent; a second reservation under the same id replaces the first. */
export function reserve(spending: Spending, id: string, amount: Partial<Usage>): Spending {
  return { usage: spending.usage, reserved: spending.reserved.set(id, clean(amount)) };
}

/** The reservation is over: what was really spent counts, nothing when it was released. */
export function settle(spending: Spending, id: string, actual: Partial<Usage>): Spending {
  return { usage: add(spending.usage, clean(actual)), reserved: spending.reserved.delete(id) };
}

/** Spent and set aside together: what a limit is compared with. */
export function committed(spending: Spending): Usage {
  let total = spending.usage;
  for (const [, amount] of spending.reserved) total = add(total, amount);
  return total;
}

/** The first limit that is used up, if any. A limit of N lets N through: exceeded means strictly greater. */
export function exhausted(
  spending: Spending,
  budget: Budget,
  time: { readonly now: number; readonly startedAt: number; readonly deadline?: number },
  wanted: Partial<Usage> = {},
): Exhausted | undefined {
  if (time.deadline !== undefined && time.now >= time.deadline) {
    return { what: "deadline", limit: time.deadline, used: time.now };
  }
  const total = add(committed(spending), wanted);
  const used: Required<Budget> = {
    tokens: total.inputTokens + total.outputTokens,
    inputTokens: total.inputTokens,
    outputTokens: total.outputTokens,
    calls: total.calls,
    cost: total.cost,
    time: time.now - time.startedAt,
  };
  for (const what of ["tokens", "inputTokens", "outputTokens", "calls", "cost", "time"] as const) {
    const limit = budget[what];
    if (limit !== undefined && used[what] > limit) return { what, limit, used: used[what] };
  }
  return undefined;
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
