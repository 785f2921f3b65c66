import { PersistentMap } from "./persistent-map.ts";

/** A persistent map that holds at most `max` keys: the one written longest ago goes first. `forgotten` counts those gone. */
export type BoundedMap<V> = {
  readonly max: number;
  readonly entries: PersistentMap<Entry<V>>;
  readonly order: PersistentMap<string>;
  readonly oldest: number;
  readonly next: number;
  readonly forgotten: number;
};

type Entry<V> = { readonly value: V; readonly at: number };

export function boundedMap<V>(max: number): BoundedMap<V> {
  return { max, entries: PersistentMap.empty(), order: PersistentMap.empty(), oldest: 0, next: 0, forgotten: 0 };
}

export function boundedGet<V>(map: BoundedMap<V>, key: string): V | undefined {
  return map.entries.get(key)?.value;
}

/** Writing a key again makes it the newest. */
export function boundedSet<V>(map: BoundedMap<V>, key: string, value: V): BoundedMap<V> {
  const before = map.entries.get(key);
  let entries = map.entries.set(key, { value, at: map.next });
  let order = map.order.set(String(map.next), key);
  if (before !== undefined) order = order.delete(String(before.at));
  let { oldest, forgotten } = map;
  while (entries.size > map.max) {
    const evicted = order.get(String(oldest));
    if (evicted !== undefined) {
      order = order.delete(String(oldest));
      entries = entries.delete(evicted);
      forgotten += 1;
    }
    oldest += 1;
  }
  return { max: map.max, entries, order, oldest, next: map.next + 1, forgotten };
}
