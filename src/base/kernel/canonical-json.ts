import { hash } from "node:crypto";

/**
 * JSON with sorted keys and nothing optional about it: equal values give equal text.
 * What JSON cannot hold (undefined, functions, NaN) becomes null or is left out, as `JSON.stringify` does.
 */
export function canonicalJson(value: unknown): string {
  // Most arguments have their keys in order, or have one: then the engine's own writer does it, at a fraction of the cost.
  return (inOrder(value) ? JSON.stringify(value) : JSON.stringify(value, sortKeys)) ?? "null";
}

function inOrder(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(inOrder);
  if ("toJSON" in value) return false;
  let last = "";
  for (const [key, item] of Object.entries(value)) {
    // Whole numbers come first in any object, in the order of their values.
    if (key < last || !inOrder(item)) return false;
    last = key;
  }
  return true;
}

/** Hex SHA-256 of a text. */
export function sha256(text: string): string {
  return hash("sha256", text);
}

/** Short stable name for a value, good for telling equal arguments from different ones. */
export function hashJson(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 20);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  let sorted = true;
  for (let i = 1; i < entries.length; i++) {
    if ((entries[i - 1]?.[0] ?? "") > (entries[i]?.[0] ?? "")) {
      sorted = false;
      break;
    }
  }
  if (sorted) return value;
  // Null prototype: a key such as `__proto__` stays a plain key.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) copy[key] = item;
  return copy;
}
