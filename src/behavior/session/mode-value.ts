import { parseDuration } from "../../base/kernel/duration.ts";
import type { ThinkLevel } from "../../base/words/modes.ts";
import { type ModeName, modeAt } from "./mode-token.ts";
import { THINK_LEVELS } from "./modes.ts";

/** What a value after a mode says. */
export type ModeValue =
  | { readonly kind: "on"; readonly level?: ThinkLevel; readonly forMs?: number }
  | { readonly kind: "off" };

/** A year: longer is a slip, and endless is said by giving no time. */
const MAX_ELEVATION_MS = 365 * 86_400_000;

const VALUES: Readonly<Record<ModeName, string>> = {
  think: `on, off, ${THINK_LEVELS.join(", ")}`,
  verbose: "on, off",
  elevated: "on, off, or a time such as 10m or 2h",
  modes: "reset",
};

/** What can be said after a mode, for people. */
export function valuesOf(name: ModeName): string {
  return VALUES[name];
}

/** `undefined` when it is no value of this mode. */
export function readValue(name: ModeName, written: string): ModeValue | undefined {
  const value = written.toLowerCase().replace(/[.,;!]$/, "");
  if (value === "off" || (name === "modes" && value === "reset")) return { kind: "off" };
  if (name === "modes") return undefined;
  if (value === "on") return { kind: "on" };
  const level = name === "think" ? THINK_LEVELS.find((one) => one === value) : undefined;
  if (level !== undefined) return { kind: "on", level };
  const forMs = name === "elevated" ? parseDuration(value) : undefined;
  return forMs !== undefined && forMs > 0 && forMs <= MAX_ELEVATION_MS ? { kind: "on", forMs } : undefined;
}

const NEXT_WORD = /[^\S\r\n\u2028\u2029]+(\S{1,32})(?!\S)/y;

/**
 * The value after a space, taken only where it cannot be the person's text: what switches off or names a time always, the
 * rest only when nothing but another mode or the next line follows. So `/think on the problem` keeps its text.
 */
export function valueAfter(
  text: string,
  at: number,
  name: ModeName,
): { readonly value: ModeValue; readonly end: number } | undefined {
  NEXT_WORD.lastIndex = at;
  const [all = "", word = ""] = NEXT_WORD.exec(text) ?? [];
  const value = readValue(name, word);
  if (value === undefined) return undefined;
  const end = at + all.length;
  const certain = value.kind === "off" || value.forMs !== undefined;
  return certain || standsAlone(text, end) ? { value, end } : undefined;
}

const BLANKS = /[^\S\r\n\u2028\u2029]*/y;

/** Where the next thing on this line begins; the end of the line, or of the text, when nothing does. */
export function skipBlanks(text: string, at: number): number {
  BLANKS.lastIndex = at;
  return at + (BLANKS.exec(text)?.[0].length ?? 0);
}

function standsAlone(text: string, at: number): boolean {
  const next = skipBlanks(text, at);
  return next === text.length || /\s/.test(text.charAt(next)) || modeAt(text, next) !== undefined;
}

const TIME = /^\d+(?:\.\d+)?\s?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?!\w)/i;
const NOT_ON = /^\W*(?:off|no|not|none|never|false|disabled?|stop|ask|of)\W*$/i;

/** After `/elevated`: words that may well mean off, or for a while. Nobody is elevated on a guess. */
export function isUnclear(rest: string): boolean {
  const text = rest.slice(0, 80).trim();
  return TIME.test(text) || (rest.length < 80 && NOT_ON.test(text));
}
