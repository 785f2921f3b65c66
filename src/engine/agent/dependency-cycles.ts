/** What each name needs. */
export type Needs = { readonly [name: string]: readonly string[] };

/**
 * Circles in what needs what: none of their members can ever run. `implied` says what a name needs besides, as an action
 * needs whatever its tool needs. Each circle is given once, its first member repeated at the end.
 */
export function dependencyCycles(
  needs: Needs,
  implied: (name: string) => readonly string[],
): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const open = new Map<string, Iterator<string>>();
  const trail: string[] = [];
  const enter = (name: string) => {
    const own = Object.hasOwn(needs, name) ? (needs[name] ?? []) : [];
    open.set(name, [...own, ...implied(name)].values());
    trail.push(name);
  };
  for (const start of Object.keys(needs)) {
    if (!done.has(start)) enter(start);
    // A stack of its own: a long chain must not overflow the program's.
    for (let name = trail.at(-1); name !== undefined; name = trail.at(-1)) {
      const next = open.get(name)?.next();
      if (next === undefined || next.done) {
        open.delete(name);
        trail.pop();
        done.add(name);
      } else if (open.has(next.value)) {
        cycles.push([...trail.slice(trail.indexOf(next.value)), next.value]);
      } else if (!done.has(next.value)) enter(next.value);
    }
  }
  return cycles;
}
