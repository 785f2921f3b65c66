/** Loaded by the first hash: most commands need none, and loading takes as long as they do. */
let hash: typeof import("node:crypto").hash | undefined;

/** Below this a loop in JavaScript is faster than a call into OpenSSL. */
const SHORT = 512;

/**
 * A cheap hash, not collision-resistant: use it only where forging gains nothing. 54 bits for short texts, more for
 * long ones.
 */
export function quickHash(text: string): string {
  if (text.length > SHORT) return sha256(text).slice(0, 20);
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  // A digit table is five times as fast as `Number.toString`.
  return String.fromCharCode(
    digit(a),
    digit(a >>> 6),
    digit(a >>> 12),
    digit(a >>> 18),
    digit(a >>> 24),
    digit(b),
    digit(b >>> 6),
    digit(b >>> 12),
    digit(b >>> 18),
  );
}

const DIGITS = Uint8Array.from("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_", (one) =>
  one.charCodeAt(0),
);

function digit(bits: number): number {
  return DIGITS[bits & 63] ?? 0;
}

/**
 * JSON with sorted keys: equal values give equal text. Values outside JSON (undefined, functions, NaN) become null or
 * are left out, as in `JSON.stringify`.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(ordered(value)) ?? "null";
}

/** Are both the same JSON? Key order does not matter, and `undefined` counts as absent. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

export function sha256(text: string): string {
  // The hash of an empty contract, which commands show on a new machine: loading the algorithms takes 7 ms.
  if (text === "") return "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  hash ??= process.getBuiltinModule("node:crypto").hash;
  return hash("sha256", text);
}

/** Short stable hash of a value, for comparing arguments. */
export function hashJson(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 20);
}

/**
 * Sorts all keys; returns the value itself if they are sorted already, as most are. A replacer function would cost
 * twice as much.
 */
function ordered(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return orderedList(value);
  if ("toJSON" in value) {
    // Uses the result of `toJSON`.
    const text = JSON.stringify(value);
    return text === undefined ? undefined : ordered(JSON.parse(text));
  }
  return orderedObject(value);
}

function orderedList(list: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const item = list[at];
    const same = ordered(item);
    if (same === item) continue;
    copy ??= [...list];
    copy[at] = same;
  }
  return copy ?? list;
}

function orderedObject(value: object): object {
  const record = value as Readonly<Record<string, unknown>>;
  let [last, changed] = ["", false];
  for (const key in record) {
    const item = record[key];
    if (key < last || (typeof item === "object" && ordered(item) !== item)) {
      changed = true;
      break;
    }
    last = key;
  }
  if (!changed) return value;
  const keys = sorted(Object.keys(record));
  // Without a prototype `__proto__` is an ordinary key, but such an object takes several times the memory.
  const copy: Record<string, unknown> = Object.hasOwn(record, "__proto__") ? Object.create(null) : {};
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string;
    copy[key] = ordered(record[key]);
  }
  return copy;
}

/** Sorts the list in place. Arguments have few keys, and the engine's own sort copies them several times. */
function sorted(keys: string[]): string[] {
  if (keys.length > 12) return keys.sort();
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at] as string;
    let to = at;
    for (; to > 0 && (keys[to - 1] as string) > key; to--) keys[to] = keys[to - 1] as string;
    keys[to] = key;
  }
  return keys;
}
