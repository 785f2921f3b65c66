import {
  type Frame,
  isList,
  isMap,
  type Kind,
  keysOf,
  MAX_ITEMS,
  MAX_STRING,
  type Maybe,
  spend,
} from "./predicate-values.ts";

/** The engine's search is fast for needles up to this length and quadratic for long ones (0.15 s on 64 KB). */
const HEAD = 16;

/** The first or last index of `needle`, or -1. Unknown when near misses have used up the fuel. */
function find(frame: Frame, text: string, needle: string, which: "first" | "last"): Maybe<number> {
  if (!spend(frame, text.length >> 1)) return undefined;
  const next = (from: number) =>
    which === "first" ? text.indexOf(head, from) : from < 0 ? -1 : text.lastIndexOf(head, from);
  const head = needle.slice(0, HEAD);
  const step = which === "first" ? 1 : -1;
  let at = next(which === "first" ? 0 : text.length);
  while (at >= 0) {
    if (needle.length <= HEAD) return at;
    if (!spend(frame, 4 + (needle.length >> 3))) return undefined;
    if (text.startsWith(needle, at)) return at;
    at = next(at + step);
  }
  return -1;
}

/** A method's receiver is the first of `takes`. `run` gets known values of these kinds. */
export type PredicateFunction = {
  readonly takes: readonly (readonly Kind[])[];
  /** How many of the last values may be left out. */
  readonly optional?: number;
  readonly gives: Kind;
  /** The kind of a returned list's items. */
  readonly items?: Kind;
  /** Returns whole numbers, which divide as integers. */
  readonly whole?: true;
  readonly run: (frame: Frame, values: readonly Maybe[]) => Maybe;
};

const SIZED: readonly Kind[] = ["string", "list", "map"];
const SCALAR: readonly Kind[] = ["string", "number", "bool"];

/** Longer separators could make the engine's split quadratic. */
const MAX_SEPARATOR = 64;

const size: PredicateFunction = {
  takes: [SIZED],
  gives: "number",
  whole: true,
  run: (frame, [value]) => {
    if (typeof value === "string") return spend(frame, value.length) ? countPoints(value) : undefined;
    if (isList(value)) return value.length;
    return isMap(value) ? keysOf(frame, value)?.length : undefined;
  },
};

export const FUNCTIONS: { readonly [name: string]: PredicateFunction } = {
  size,
  int: { takes: [["number", "string"]], gives: "number", whole: true, run: (_, [value]) => toInt(value) },
  double: { takes: [["number", "string"]], gives: "number", run: (_, [value]) => toDouble(value) },
  string: { takes: [SCALAR], gives: "string", run: (_, [value]) => String(value) },
  bool: { takes: [["bool", "string"]], gives: "bool", run: (_, [value]) => toBool(value) },
};

export const METHODS: { readonly [name: string]: PredicateFunction } = {
  size,
  contains: onTwo("bool", contains),
  startsWith: onTwo("bool", (_, text, part) => text.startsWith(part)),
  endsWith: onTwo("bool", (_, text, part) => text.endsWith(part)),
  indexOf: place("first"),
  lastIndexOf: place("last"),
  lowerAscii: onOne((text) => text.replace(/[A-Z]+/g, (some) => some.toLowerCase())),
  upperAscii: onOne((text) => text.replace(/[a-z]+/g, (some) => some.toUpperCase())),
  trim: onOne((text) => text.trim()),
  substring: { takes: [["string"], ["number"], ["number"]], optional: 1, gives: "string", run: substring },
  split: { takes: [["string"], ["string"]], gives: "list", items: "string", run: split },
  join: { takes: [["list"], ["string"]], optional: 1, gives: "string", run: join },
};

function onOne(run: (text: string) => string): PredicateFunction {
  return {
    takes: [["string"]],
    gives: "string",
    run: (frame, [text]) => (typeof text === "string" && spend(frame, text.length * 3) ? run(text) : undefined),
  };
}

function onTwo(gives: Kind, run: (frame: Frame, text: string, part: string) => Maybe): PredicateFunction {
  return {
    takes: [["string"], ["string"]],
    gives,
    run: (frame, [text, part]) =>
      typeof text === "string" && typeof part === "string" && spend(frame, part.length >> 2)
        ? run(frame, text, part)
        : undefined,
  };
}

/** CEL counts code points. */
function place(which: "first" | "last"): PredicateFunction {
  const run = (frame: Frame, text: string, part: string): Maybe => {
    const at = find(frame, text, part, which);
    if (at === undefined || at < 0) return at;
    return spend(frame, at) ? countPoints(text.slice(0, at)) : undefined;
  };
  return { ...onTwo("number", run), whole: true };
}

function countPoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function contains(frame: Frame, text: string, part: string): Maybe<boolean> {
  const at = find(frame, text, part, "first");
  return at === undefined ? undefined : at >= 0;
}

function substring(frame: Frame, [text, start, end]: readonly Maybe[]): Maybe {
  if (typeof text !== "string") return undefined;
  const isPlain = !/[\ud800-\udfff]/.test(text);
  if (!spend(frame, isPlain ? text.length >> 2 : text.length * 3)) return undefined;
  const points = isPlain ? text : Array.from(text);
  const stop = end ?? points.length;
  if (!isIndex(start) || !isIndex(stop) || start > stop || stop > points.length) return undefined;
  return typeof points === "string" ? points.slice(start, stop) : points.slice(start, stop).join("");
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function split(frame: Frame, [text, separator]: readonly Maybe[]): Maybe {
  if (typeof text !== "string" || typeof separator !== "string" || separator.length > MAX_SEPARATOR) return undefined;
  if (!spend(frame, text.length)) return undefined;
  const parts = text.split(separator, MAX_ITEMS + 1);
  return parts.length > MAX_ITEMS ? undefined : parts;
}

function join(frame: Frame, [parts, separator = ""]: readonly Maybe[]): Maybe {
  if (!isList(parts) || parts.length > MAX_ITEMS || typeof separator !== "string") return undefined;
  if (!parts.every((part) => typeof part === "string")) return undefined;
  const length = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
  return length > MAX_STRING || !spend(frame, length) ? undefined : parts.join(separator);
}

function toInt(value: Maybe): Maybe<number> {
  const number = typeof value === "string" && /^[+-]?\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number") return undefined;
  const whole = Math.trunc(number);
  return Number.isSafeInteger(whole) ? whole : undefined;
}

function toDouble(value: Maybe): Maybe<number> {
  if (typeof value === "number") return value;
  const written =
    typeof value === "string" && /^[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})(e[+-]?\d{1,3})?$/i.exec(value);
  const number = written ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function toBool(value: Maybe): Maybe<boolean> {
  if (typeof value === "boolean") return value;
  return value === "true" ? true : value === "false" ? false : undefined;
}
