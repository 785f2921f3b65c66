import type { Decision } from "../../../base/words/decision.ts";

/** A question of a kept session says how a person answers it, in whatever terminal: the runtime may have asked nobody. */
export function answerable<T extends Decision>(decision: T): T {
  return decision.kind === "ask" ? { ...decision, answer: `conduct approve ${decision.approval}` } : decision;
}
