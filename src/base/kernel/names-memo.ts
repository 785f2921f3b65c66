/** So many are remembered: names of tools come from a model, and what it makes up must not fill the memory. */
const MAX = 1_000;

/** Remembers what was worked out from a tool's name and others beside it. Without others no key has to be made. */
export class NamesMemo<V> {
  readonly #alone = new Map<string, V>();
  readonly #together = new Map<string, V>();

  get(name: string, others: readonly string[], work: () => V): V {
    if (others.length === 0) return remembered(this.#alone, name, work);
    return remembered(this.#together, JSON.stringify([name, others]), work);
  }
}

function remembered<V>(map: Map<string, V>, key: string, work: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = work();
  if (map.size < MAX) map.set(key, made);
  return made;
}
