import type { Missing } from "../../base/words/decision.ts";

export const DEFAULT_NEXT = "Do it another way, or ask the person you work for.";

/** Each need once. */
export function distinct(missing: readonly Missing[]): readonly Missing[] {
  return missing.filter(({ what, why }, i) => missing.findIndex((one) => one.what === what && one.why === why) === i);
}

/** A need that no call can meet any more: a forbidden call happened, or every allowed call was made. */
function isOver({ what }: Missing): boolean {
  return /^(?:no |a call left)/.test(what);
}

/** The step that a rule's denial proposes: every need, in written order. */
export function nextStep(missing: readonly Missing[]): string {
  if (missing.length === 0 || missing.some(isOver)) return DEFAULT_NEXT;
  const needs = [...new Set(missing.map(({ what }) => what))].join(", then ");
  return `First: ${needs}. Then repeat this call in a later step.`;
}
