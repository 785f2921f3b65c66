import type { PredicateInput } from "../../../../base/words/rule.ts";

/** Strings longer than this (UTF-16 units) are unknown, read or made. */
export const MAX_STRING = 65_536;
/** Items that a comprehension sees and that a list made by an expression may have. */
export const MAX_ITEMS = 1_000;
/** What one decision may spend; a unit is about 10 ns, several times that before the code is warm. */
export const FUEL = 200_000;
const MAX_DEPTH = 32;
/** To list the keys of a large map is slow, and cannot be stopped half way. */
const KEY_COST = 20;
const COMPARISON_COST = 4;

export type Value = string | number | boolean | readonly unknown[] | { readonly [key: string]: unknown };
/** `undefined` is unknown, everywhere. */
export type Maybe<T = Value> = T | undefined;
export type Kind = "bool" | "number" | "string" | "list" | "map" | "any";

/** One evaluation. Fuel is counted by work, not by time, so that the same input always gives the same answer. */
export type Frame = { readonly input: PredicateInput; fuel: number; item: Maybe };
export type Run = (frame: Frame) => Maybe;

export function spend(frame: Frame, units: number): boolean {
  frame.fuel -= units;
  return frame.fuel >= 0;
}

/** What comes from outside, or unknown: null, over-long strings, numbers that are none, what JSON does not have. */
export function read(value: unknown): Maybe {
  switch (typeof value) {
    case "string":
      return value.length > MAX_STRING ? undefined : value;
    case "number":
      return Number.isFinite(value) ? value : undefined;
    case "boolean":
      return value;
    case "object":
      return value === null ? undefined : (value as Value);
    default:
      return undefined;
  }
}

/** Own keys only: `__proto__` and `constructor` are names like any other. */
export function readKey(map: Maybe, key: string): Maybe {
  return isMap(map) && Object.hasOwn(map, key) ? read(map[key]) : undefined;
}

/** There and not null, whatever its size; unknown when `map` is none. */
export function hasKey(map: Maybe, key: string): Maybe<boolean> {
  if (!isMap(map)) return undefined;
  return Object.hasOwn(map, key) && map[key] !== null && map[key] !== undefined;
}

export function isList(value: Maybe): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isMap(value: Maybe): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && !Array.isArray(value);
}

/** The keys of a map, paid for. */
export function keysOf(frame: Frame, map: { readonly [key: string]: unknown }): Maybe<readonly string[]> {
  if (frame.fuel < 0) return undefined;
  const keys = Object.keys(map);
  return spend(frame, keys.length * KEY_COST) ? keys : undefined;
}

/** Values of different kinds cannot be compared: unknown, not false, so that `["prod"]` does not slip past `== "prod"`. */
export function equal(frame: Frame, a: Maybe, b: Maybe, depth = 0): Maybe<boolean> {
  if (a === undefined || b === undefined || depth > MAX_DEPTH || !spend(frame, COMPARISON_COST)) return undefined;
  if (isList(a)) return isList(b) ? equalLists(frame, a, b, depth) : undefined;
  if (isMap(a)) return isMap(b) ? equalMaps(frame, a, b, depth) : undefined;
  if (typeof a !== typeof b) return undefined;
  return typeof a === "string" && !spend(frame, a.length >> 5) ? undefined : a === b;
}

function equalLists(frame: Frame, a: readonly unknown[], b: readonly unknown[], depth: number): Maybe<boolean> {
  if (a.length !== b.length) return false;
  let result: Maybe<boolean> = true;
  for (let i = 0; i < a.length && frame.fuel >= 0; i++) {
    const same = equal(frame, read(a[i]), read(b[i]), depth + 1);
    if (same === false) return false;
    if (same === undefined) result = undefined;
  }
  return frame.fuel < 0 ? undefined : result;
}

function equalMaps(
  frame: Frame,
  a: { readonly [key: string]: unknown },
  b: { readonly [key: string]: unknown },
  depth: number,
): Maybe<boolean> {
  const keys = keysOf(frame, a);
  const others = keysOf(frame, b);
  if (keys === undefined || others === undefined) return undefined;
  if (keys.length !== others.length || keys.some((key) => !Object.hasOwn(b, key))) return false;
  return equalLists(
    frame,
    keys.map((key) => a[key]),
    keys.map((key) => b[key]),
    depth,
  );
}

/** Negative, zero or positive; unknown unless both are numbers or both are strings. */
export function compare(frame: Frame, a: Maybe, b: Maybe): Maybe<number> {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== "string" || typeof b !== "string") return undefined;
  if (!spend(frame, Math.min(a.length, b.length) >> 5)) return undefined;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** `x in list` is true when one item equals it, unknown when none does and one cannot be compared. */
export function isIn(frame: Frame, value: Maybe, container: Maybe): Maybe<boolean> {
  if (value === undefined) return undefined;
  if (isMap(container)) return typeof value === "string" ? hasKey(container, value) : undefined;
  if (!isList(container)) return undefined;
  let result: Maybe<boolean> = false;
  for (let i = 0; i < container.length && frame.fuel >= 0; i++) {
    const same = equal(frame, value, read(container[i]));
    if (same) return true;
    if (same === undefined) result = undefined;
  }
  return frame.fuel < 0 ? undefined : result;
}
