/**
 * An immutable map from strings: `set` and `delete` give a new map that shares all but the changed path with the old one.
 * This is what makes a snapshot a handle and not a copy. A hash trie of 32 branches a level.
 */
export class PersistentMap<V> implements Iterable<readonly [string, V]> {
  readonly size: number;
  readonly #root: Node<V> | undefined;

  private constructor(root: Node<V> | undefined, size: number) {
    this.#root = root;
    this.size = size;
  }

  static readonly #empty = new PersistentMap<never>(undefined, 0);

  static empty<V>(): PersistentMap<V> {
    return PersistentMap.#empty;
  }

  static from<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
    let map = PersistentMap.empty<V>();
    for (const [key, value] of entries) map = map.set(key, value);
    return map;
  }

  get(key: string): V | undefined {
    let node = this.#root;
    const hash = hashOf(key);
    for (let shift = 0; node !== undefined; shift += 5) {
      if (node.leaves !== undefined) {
        if (node.hash !== hash) return undefined;
        return node.leaves.find((leaf) => leaf.key === key)?.value;
      }
      const bit = bitAt(hash, shift);
      if ((node.bitmap & bit) === 0) return undefined;
      node = node.children[indexOf(node.bitmap, bit)];
    }
    return undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  set(key: string, value: V): PersistentMap<V> {
    const added = { count: 0 };
    const root = insert(this.#root, 0, hashOf(key), key, value, added);
    return root === this.#root ? this : new PersistentMap(root, this.size + added.count);
  }

  delete(key: string): PersistentMap<V> {
    if (this.#root === undefined) return this;
    const root = remove(this.#root, 0, hashOf(key), key);
    if (root === this.#root) return this;
    return this.size === 1 ? PersistentMap.empty() : new PersistentMap(root, this.size - 1);
  }

  *[Symbol.iterator](): Iterator<readonly [string, V]> {
    if (this.#root !== undefined) yield* walk(this.#root);
  }
}

type Leaf<V> = { readonly key: string; readonly value: V };
/** Either a bucket of leaves that share one hash, or a branch. */
type Bucket<V> = { readonly leaves: readonly Leaf<V>[]; readonly hash: number };
type Branch<V> = { readonly leaves: undefined; readonly bitmap: number; readonly children: readonly Node<V>[] };
type Node<V> = Bucket<V> | Branch<V>;

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

function insert<V>(
  node: Node<V> | undefined,
  shift: number,
  hash: number,
  key: string,
  value: V,
  added: { count: number },
): Node<V> {
  if (node === undefined) {
    added.count = 1;
    return { leaves: [{ key, value }], hash };
  }
  if (node.leaves !== undefined) {
    if (node.hash !== hash) return insert(branchOver(node, shift), shift, hash, key, value, added);
    const at = node.leaves.findIndex((leaf) => leaf.key === key);
    if (at >= 0 && node.leaves[at]?.value === value) return node;
    if (at < 0) added.count = 1;
    return { leaves: at < 0 ? [...node.leaves, { key, value }] : node.leaves.with(at, { key, value }), hash };
  }
  const bit = bitAt(hash, shift);
  const at = indexOf(node.bitmap, bit);
  if ((node.bitmap & bit) === 0) {
    const child = insert<V>(undefined, shift + 5, hash, key, value, added);
    return { leaves: undefined, bitmap: node.bitmap | bit, children: node.children.toSpliced(at, 0, child) };
  }
  const child = node.children[at];
  const next = insert(child, shift + 5, hash, key, value, added);
  return next === child ? node : { leaves: undefined, bitmap: node.bitmap, children: node.children.with(at, next) };
}

function branchOver<V>(bucket: Bucket<V>, shift: number): Branch<V> {
  return { leaves: undefined, bitmap: bitAt(bucket.hash, shift), children: [bucket] };
}

function remove<V>(node: Node<V>, shift: number, hash: number, key: string): Node<V> | undefined {
  if (node.leaves !== undefined) {
    const rest = node.leaves.filter((leaf) => leaf.key !== key);
    if (rest.length === node.leaves.length) return node;
    return rest.length === 0 ? undefined : { leaves: rest, hash: node.hash };
  }
  const bit = bitAt(hash, shift);
  const at = indexOf(node.bitmap, bit);
  const child = (node.bitmap & bit) === 0 ? undefined : node.children[at];
  if (child === undefined) return node;
  const next = remove(child, shift + 5, hash, key);
  if (next === child) return node;
  if (next !== undefined) return { leaves: undefined, bitmap: node.bitmap, children: node.children.with(at, next) };
  if (node.children.length === 1) return undefined;
  return { leaves: undefined, bitmap: node.bitmap & ~bit, children: node.children.toSpliced(at, 1) };
}

function* walk<V>(node: Node<V>): Generator<readonly [string, V]> {
  if (node.leaves !== undefined) {
    for (const leaf of node.leaves) yield [leaf.key, leaf.value];
    return;
  }
  for (const child of node.children) yield* walk(child);
}
