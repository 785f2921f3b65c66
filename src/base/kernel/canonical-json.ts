import { hash } from "node:crypto";

/**
 * JSON with sorted keys and nothing optional about it: equal values give equal text.
 * What JSON cannot hold (undefined, functions, NaN) becomes null or is left out, as `JSON.stringify` does.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(ordered(value)) ?? "null";
}

/** Whether both are the same JSON: the order of keys does not matter, and `undefined` counts as absent. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** Hex SHA-256 of a text. */
export function sha256(text: string): string {
  return hash("sha256", text);
}

/** Short stable name for a value, good for telling equal arguments from different ones. */
export function hashJson(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 20);
}

/** The value with all its keys in order: itself where they are, as most are. A replacer function would cost twice as much. */
function ordered(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return orderedList(value);
  if ("toJSON" in value) {
    // What it writes of itself is what counts.
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
  // Null prototype: a key such as `__proto__` stays a plain key.
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(record).sort()) copy[key] = ordered(record[key]);
  return copy;
}
