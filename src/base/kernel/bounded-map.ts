import { PersistentMap } from "./persistent-map.ts";

/** Cache limit: tool names come from a model, and invented ones must not fill the memory. */
const MAX = 1_000;

/** Caches values computed from a tool's name and related names. Without related names no joint key is built. */
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

/**
 * A persistent map of at most `max` keys; the least recently written one is evicted first. `forgotten` counts
 * evictions.
 */
export type BoundedMap<V> = {
  readonly max: number;
  readonly entries: PersistentMap<Entry<V>>;
  readonly next: number;
  readonly forgotten: number;
  /** The next keys to evict, oldest first; computed in batches when the map is full. */
  readonly leaving: readonly Leaving[];
};

type Entry<V> = { readonly value: V; readonly at: number };
type Leaving = { readonly key: string; readonly at: number };

export function boundedMap<V>(max: number): BoundedMap<V> {
  return { max, entries: PersistentMap.empty(), next: 0, forgotten: 0, leaving: [] };
}

export function boundedGet<V>(map: BoundedMap<V>, key: string): V | undefined {
  return map.entries.get(key)?.value;
}

/** Writing a key again makes it the newest. */
export function boundedSet<V>(map: BoundedMap<V>, key: string, value: V): BoundedMap<V> {
  const { max, next, forgotten, leaving = [] } = map;
  const entries = map.entries.set(key, { value, at: next });
  const written = { max, entries, next: next + 1, forgotten, leaving };
  return entries.size > max ? withoutOldest(written) : written;
}

function withoutOldest<V>(map: BoundedMap<V>): BoundedMap<V> {
  const { entries, forgotten } = map;
  // Skips keys that were written again since.
  const first = map.leaving.findIndex(({ key, at }) => entries.get(key)?.at === at);
  const [leaving, at] = first < 0 ? [oldestOf(map), 0] : [map.leaving, first];
  const oldest = leaving[at];
  if (oldest === undefined) return map;
  return {
    ...map,
    entries: entries.delete(oldest.key),
    forgotten: forgotten + 1,
    leaving: leaving.slice(at + 1),
  };
}

/** A tenth of all keys, so the search costs little per eviction. */
function oldestOf<V>({ entries, max }: BoundedMap<V>): readonly Leaving[] {
  const all = [...entries].map(([key, { at }]) => ({ key, at }));
  return all.sort((a, b) => a.at - b.at).slice(0, Math.max(1, Math.ceil(max / 10)));
}

const MAX_RECENT = 1_000;
const MAX_CHARACTERS = 2_000_000;

/** A cache by text with two generations, each bounded in entries and characters. */
export class RecentMap<V> {
  readonly #maxEntries: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  #characters = 0;

  constructor(maxEntries = MAX_RECENT) {
    this.#maxEntries = maxEntries;
  }

  recall(text: string, make: () => V): V {
    const known = this.get(text);
    if (known !== undefined) return known;
    const value = make();
    this.set(text, value);
    return value;
  }

  get(text: string): V | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  set(text: string, value: V): void {
    if (this.#young.size >= this.#maxEntries || this.#characters + text.length > MAX_CHARACTERS) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    this.#young.set(text, value);
    this.#characters += text.length;
  }
}
