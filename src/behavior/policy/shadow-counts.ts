import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Objection } from "../../base/words/decision.ts";

/** How often each rule in shadow would have objected: what an operator looks at before a rule is enforced. LOG: it happened. */
export const shadowsSlice = defineSlice<PersistentMap<number>>({
  name: "shadows",
  kind: "LOG",
  initial: PersistentMap.empty(),
});

export function countShadows(counts: PersistentMap<number>, shadows: readonly Objection[]): PersistentMap<number> {
  let next = counts;
  for (const { rule } of shadows) next = next.set(rule, (next.get(rule) ?? 0) + 1);
  return next;
}
