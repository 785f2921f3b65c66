/**
 * An immutable map from strings. `set` and `delete` return a new map that shares structure with the old one, so
 * snapshots cost nothing. A list while small, then a hash trie with 32 branches per level. Equal maps iterate in the
 * same order, whatever the insertion order.
 */
export class PersistentMap<V> implements Iterable<readonly [string, V]> {
  readonly size: number;
  readonly #top: Few<V> | Node<V>;

  private constructor(top: Few<V> | Node<V>, size: number) {
    this.#top = top;
    this.size = size;
  }

  static readonly #empty = new PersistentMap<never>([], 0);

  static empty<V>(): PersistentMap<V> {
    return PersistentMap.#empty;
  }

  static from<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
    let map = PersistentMap.empty<V>();
    for (const [key, value] of entries) map = map.set(key, value);
    return map;
  }

  get(key: string): V | undefined {
    const top = this.#top;
    return isFew(top) ? leafIn(top, key)?.value : find(top, hashOf(key), key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  set(key: string, value: V): PersistentMap<V> {
    const top = this.#top;
    if (!isFew(top)) {
      const hash = hashOf(key);
      const before = find(top, hash, key);
      if (before === value) return this;
      return new PersistentMap(
        insert(top, 0, { kind: "leaf", hash, key, value }),
        before === undefined ? this.size + 1 : this.size,
      );
    }
    const at = placeIn(top, key);
    if (at >= 0)
      return top[at]?.value === value ? this : new PersistentMap(replaced(top, at, { key, value }), this.size);
    const more = appended(top, { key, value });
    return new PersistentMap(more.length > MOST ? grown(more) : more, this.size + 1);
  }

  delete(key: string): PersistentMap<V> {
    const top = this.#top;
    if (isFew(top)) {
      const at = placeIn(top, key);
      if (at < 0) return this;
      return this.size === 1 ? PersistentMap.empty() : new PersistentMap(without(top, at), this.size - 1);
    }
    const rest = remove(top, 0, hashOf(key), key);
    if (rest === top) return this;
    return rest === undefined ? PersistentMap.empty() : new PersistentMap(rest, this.size - 1);
  }

  /**
   * Yields the differences from `before`: entries that are new or not identical, and deleted keys with `undefined`.
   * For related maps the cost depends on the changes, not on the size.
   */
  *since(before: PersistentMap<V>): Generator<readonly [string, V | undefined]> {
    const [then, now] = [before.#top, this.#top];
    if (isFew(then) || isFew(now)) yield* differingEntries(before, this);
    else yield* differing(then, now);
  }

  /** How many values match. Makes no entries and keeps no order, unlike iterating. */
  count(matches: (value: V) => boolean): number {
    const top = this.#top;
    if (!isFew(top)) return countIn(top, matches);
    let count = 0;
    for (let at = 0; at < top.length; at++) if (matches((top[at] as Entry<V>).value)) count += 1;
    return count;
  }

  *[Symbol.iterator](): Iterator<readonly [string, V]> {
    const top = this.#top;
    if (!isFew(top)) yield* walk(top);
    else for (const { key, value } of top.toSorted(byHash)) yield [key, value];
  }
}

/** Up to this many entries are stored as a list. */
const MOST = 16;

type Entry<V> = { readonly key: string; readonly value: V };
type Few<V> = readonly Entry<V>[];
type Leaf<V> = Entry<V> & { readonly kind: "leaf"; readonly hash: number };
type Bucket<V> = { readonly kind: "bucket"; readonly hash: number; readonly leaves: readonly Leaf<V>[] };
type Branch<V> = { readonly kind: "branch"; readonly bitmap: number; readonly children: readonly Node<V>[] };
type Node<V> = Leaf<V> | Bucket<V> | Branch<V>;

function isFew<V>(top: Few<V> | Node<V>): top is Few<V> {
  return Array.isArray(top);
}

function grown<V>(entries: Few<V>): Node<V> {
  let root: Node<V> | undefined;
  for (const { key, value } of entries) {
    const leaf: Leaf<V> = { kind: "leaf", hash: hashOf(key), key, value };
    root = root === undefined ? leaf : insert(root, 0, leaf);
  }
  if (root === undefined) throw new Error("there are entries");
  return root;
}

function placeIn<V>(entries: Few<V>, key: string): number {
  for (let at = 0; at < entries.length; at++) if (entries[at]?.key === key) return at;
  return -1;
}

function leafIn<V, E extends Entry<V>>(entries: readonly E[], key: string): E | undefined {
  const at = placeIn(entries, key);
  // Reading at -1 would take the engine's slow path for names.
  return at < 0 ? undefined : entries[at];
}

/** Iteration order of a trie: lowest five bits first. */
function byHash(a: { readonly key: string }, b: { readonly key: string }): number {
  const [one, other] = [hashOf(a.key), hashOf(b.key)];
  for (let shift = 0; shift < 32; shift += 5) {
    const difference = ((one >>> shift) & 31) - ((other >>> shift) & 31);
    if (difference !== 0) return difference;
  }
  return a.key < b.key ? -1 : 1;
}

function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function bitAt(hash: number, shift: number): number {
  return 1 << ((hash >>> shift) & 31);
}

function indexOf(bitmap: number, bit: number): number {
  let bits = bitmap & (bit - 1);
  bits -= (bits >>> 1) & 0x55555555;
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function find<V>(root: Node<V>, hash: number, key: string): V | undefined {
  let node: Node<V> | undefined = root;
  for (let shift = 0; node !== undefined; shift += 5) {
    if (node.kind === "leaf") return node.key === key ? node.value : undefined;
    if (node.kind === "bucket") return node.hash === hash ? leafIn<V, Leaf<V>>(node.leaves, key)?.value : undefined;
    const bit = bitAt(hash, shift);
    if ((node.bitmap & bit) === 0) return undefined;
    node = node.children[indexOf(node.bitmap, bit)];
  }
  return undefined;
}

function insert<V>(node: Node<V>, shift: number, leaf: Leaf<V>): Node<V> {
  if (node.kind === "branch") {
    const bit = bitAt(leaf.hash, shift);
    const at = indexOf(node.bitmap, bit);
    const child = (node.bitmap & bit) === 0 ? undefined : node.children[at];
    return child === undefined
      ? { kind: "branch", bitmap: node.bitmap | bit, children: inserted(node.children, at, leaf) }
      : { kind: "branch", bitmap: node.bitmap, children: replaced(node.children, at, insert(child, shift + 5, leaf)) };
  }
  if (node.hash !== leaf.hash) return insert(branchOver(node, shift), shift, leaf);
  if (node.kind === "leaf") return node.key === leaf.key ? leaf : bucketOf([node, leaf]);
  return bucketOf([...node.leaves.filter(({ key }) => key !== leaf.key), leaf]);
}

/** Sorted, so that equal maps iterate in the same order. */
function bucketOf<V>(leaves: readonly Leaf<V>[]): Bucket<V> {
  return { kind: "bucket", hash: leaves[0]?.hash ?? 0, leaves: leaves.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
}

function branchOver<V>(node: Leaf<V> | Bucket<V>, shift: number): Branch<V> {
  return { kind: "branch", bitmap: bitAt(node.hash, shift), children: [node] };
}

function remove<V>(node: Node<V>, shift: number, hash: number, key: string): Node<V> | undefined {
  if (node.kind === "leaf") return node.key === key ? undefined : node;
  if (node.kind === "bucket") {
    const rest = node.leaves.filter((leaf) => leaf.key !== key);
    if (rest.length === node.leaves.length) return node;
    const [only, ...others] = rest;
    return only !== undefined && others.length === 0 ? only : bucketOf(rest);
  }
  const bit = bitAt(hash, shift);
  const at = indexOf(node.bitmap, bit);
  const child = (node.bitmap & bit) === 0 ? undefined : node.children[at];
  if (child === undefined) return node;
  const next = remove(child, shift + 5, hash, key);
  if (next === child) return node;
  if (next !== undefined) return { kind: "branch", bitmap: node.bitmap, children: replaced(node.children, at, next) };
  if (node.children.length === 1) return undefined;
  return { kind: "branch", bitmap: node.bitmap & ~bit, children: without(node.children, at) };
}

// Several times faster than the array's own `with` and `toSpliced`.

function replaced<T>(list: readonly T[], at: number, item: T): readonly T[] {
  const copy = list.slice();
  copy[at] = item;
  return copy;
}

function inserted<T>(list: readonly T[], at: number, item: T): readonly T[] {
  const copy = appended(list, item);
  for (let i = list.length; i > at; i--) copy[i] = list[i - 1] as T;
  copy[at] = item;
  return copy;
}

/** The list with one more item. A spread or `push` would reserve room for 16 more, in every version of the list. */
export function appended<T>(list: readonly T[], item: T): T[] {
  const copy = new Array<T>(list.length + 1);
  for (let i = 0; i < list.length; i++) copy[i] = list[i] as T;
  copy[list.length] = item;
  return copy;
}

function without<T>(list: readonly T[], at: number): readonly T[] {
  const copy = list.slice(0, -1);
  for (let i = at; i < copy.length; i++) copy[i] = list[i + 1] as T;
  return copy;
}

function countIn<V>(node: Node<V>, matches: (value: V) => boolean): number {
  if (node.kind === "leaf") return matches(node.value) ? 1 : 0;
  const nodes: readonly Node<V>[] = node.kind === "bucket" ? node.leaves : node.children;
  return nodes.reduce((sum, child) => sum + countIn(child, matches), 0);
}

function* walk<V>(node: Node<V>): Generator<readonly [string, V]> {
  if (node.kind === "leaf") yield [node.key, node.value];
  else if (node.kind === "bucket") for (const { key, value } of node.leaves) yield [key, value];
  else for (const child of node.children) yield* walk(child);
}

function* differing<V>(
  before: Node<V> | undefined,
  after: Node<V> | undefined,
): Generator<readonly [string, V | undefined]> {
  if (before === after) return;
  if (before?.kind !== "branch" || after?.kind !== "branch") {
    yield* differingEntries(before === undefined ? [] : walk(before), after === undefined ? [] : walk(after));
    return;
  }
  for (let rest = before.bitmap | after.bitmap; rest !== 0; rest &= rest - 1) {
    const bit = rest & -rest;
    yield* differing(childAt(before, bit), childAt(after, bit));
  }
}

function* differingEntries<V>(
  before: Iterable<readonly [string, V]>,
  after: Iterable<readonly [string, V]>,
): Generator<readonly [string, V | undefined]> {
  const had = new Map(before);
  for (const [key, value] of after) {
    if (had.get(key) !== value) yield [key, value];
    had.delete(key);
  }
  for (const [key] of had) yield [key, undefined];
}

function childAt<V>({ bitmap, children }: Branch<V>, bit: number): Node<V> | undefined {
  return (bitmap & bit) === 0 ? undefined : children[indexOf(bitmap, bit)];
}
