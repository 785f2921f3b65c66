import type { RuleAction } from "../../../base/words/rule.ts";

/** What an action establishes through others that it implies is its own too; a circle is fine, and closed as a set. */
export function closeImplies(actions: { readonly [name: string]: RuleAction }): {
  readonly [name: string]: RuleAction;
} {
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => {
      const closed = new Set(action.implies);
      for (const one of closed) {
        const more = Object.hasOwn(actions, one) ? actions[one]?.implies : undefined;
        for (const fact of more ?? []) closed.add(fact);
      }
      closed.delete(name);
      const { implies: _, ...spec } = action;
      return [name, closed.size === 0 ? spec : { ...spec, implies: [...closed] }];
    }),
  );
}
