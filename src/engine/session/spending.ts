import type { Exhausted, Usage } from "../../base/words/budget.ts";
import { exhausted, reserve, type Spending, settle, spendingSlice } from "../../behavior/session/budget.ts";
import { identitySlice } from "../../behavior/session/session-identity.ts";
import type { SessionContext } from "./session-context.ts";

/** The limit that spending `wanted` would break, here or in a session above. */
export function overLimit(context: SessionContext, wanted: Partial<Usage>): Exhausted | undefined {
  return context.world.overLimit(context, wanted);
}

/** `overLimit` of a session that really runs. */
export function liveOverLimit(context: SessionContext, wanted: Partial<Usage>): Exhausted | undefined {
  const { deadline, startedAt, budget } = context.slices.get(identitySlice);
  const time = { now: context.clock.now(), startedAt, ...(deadline === undefined ? {} : { deadline }) };
  const here = exhausted(context.slices.get(spendingSlice), budget, time, wanted);
  return here ?? (context.parent === undefined ? undefined : overLimit(context.parent, wanted));
}

/** Sets an amount aside, here and in every session above. */
export function reserveAmount(context: SessionContext, reservation: string, amount: Partial<Usage>): void {
  changeSpending(context, reservation, (spending, id) => reserve(spending, id, amount));
}

/** Replaces a reservation by what was really spent; an unknown reservation counts too. */
export function spendAmount(context: SessionContext, reservation: string, actual: Partial<Usage>): void {
  changeSpending(context, reservation, (spending, id) => settle(spending, id, actual));
}

function changeSpending(
  context: SessionContext,
  id: string,
  change: (spending: Spending, id: string) => Spending,
): void {
  context.slices = context.slices.with(spendingSlice, change(context.slices.get(spendingSlice), id));
  if (context.parent !== undefined) changeSpending(context.parent, `${context.id}/${id}`, change);
}
