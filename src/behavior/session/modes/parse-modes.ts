import { parseDuration } from "../../../base/kernel/duration.ts";
import { nearest } from "../../../base/kernel/nearest.ts";
import type { ThinkLevel } from "../../../base/words/modes.ts";
import { LONG_NAMES, type ModeName, modeAt } from "./mode-token.ts";
import { THINK_LEVELS } from "./modes.ts";

/** What a value after a mode says. */
type ModeValue =
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
function valuesOf(name: ModeName): string {
  return VALUES[name];
}

/** `undefined` when it is no value of this mode. */
function readValue(name: ModeName, written: string): ModeValue | undefined {
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
function valueAfter(
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
function skipBlanks(text: string, at: number): number {
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
function isUnclear(rest: string): boolean {
  const text = rest.slice(0, 80).trim();
  return TIME.test(text) || (rest.length < 80 && NOT_ON.test(text));
}

/** One switch, in the order they were written. `forMs`: how long the elevation lasts. */
export type ModeChange =
  | { readonly mode: "think"; readonly on: boolean; readonly level?: ThinkLevel }
  | { readonly mode: "verbose"; readonly on: boolean }
  | { readonly mode: "elevated"; readonly on: boolean; readonly forMs?: number }
  | { readonly mode: "all"; readonly on: false };

/** `any`: the message began with a mode. `text` is the rest, byte for byte. */
export type ParsedModes = {
  readonly text: string;
  readonly changes: readonly ModeChange[];
  readonly asked: readonly ModeName[];
  readonly hints: readonly string[];
  readonly any: boolean;
};

type Found = {
  readonly name: ModeName;
  readonly said: ModeValue | { readonly kind: "bare" } | { readonly kind: "invalid"; readonly hint: string };
};

/** Hints in one message; who makes more mistakes has seen enough. */
const MAX_HINTS = 5;

/** The modes that a message begins with, and its text without them. Later lines, paths, links and code are text. */
export function parseModes(text: string): ParsedModes {
  const modes: Found[] = [];
  let at = text.length - text.trimStart().length;
  let end = 0;
  for (let next = readMode(text, at); next !== undefined; next = readMode(text, at)) {
    modes.push(next.found);
    end = next.end;
    at = skipBlanks(text, end);
  }
  const any = modes.length > 0;
  const rest = any ? withoutSpace(text, end) : text;
  const hasText = rest.trim() !== "";
  const last = modes.at(-1);
  if (last?.name === "elevated" && last.said.kind === "bare" && hasText && isUnclear(rest)) {
    modes[modes.length - 1] = invalid(
      "elevated",
      `Not elevated: what follows /elevated could be a value. ${takes("elevated")}`,
    );
  }
  const hints = [...modes.flatMap(({ said }) => (said.kind === "invalid" ? [said.hint] : [])), ...hintsOn(rest, any)];
  return {
    text: rest,
    changes: modes.flatMap((mode) => changesOf(mode, hasText)),
    asked: [...new Set(modes.filter((mode) => asks(mode, hasText)).map(({ name }) => name))],
    hints: [...new Set(hints)].slice(0, MAX_HINTS),
    any,
  };
}

function readMode(text: string, at: number): { readonly found: Found; readonly end: number } | undefined {
  const token = modeAt(text, at);
  if (token === undefined) return undefined;
  const { name, off, value, end } = token;
  if (value !== "") {
    const said = off ? undefined : readValue(name, value);
    const hint = off ? `/no${name} takes no value.` : `'${value}' is no value of /${name}. ${takes(name)}`;
    return { found: said === undefined ? invalid(name, hint) : { name, said }, end };
  }
  if (off) return { found: { name, said: { kind: "off" } }, end };
  const after = valueAfter(text, end, name);
  return after === undefined
    ? { found: { name, said: { kind: "bare" } }, end }
    : { found: { name, said: after.value }, end: after.end };
}

/** A bare mode before a text switches on; alone it asks, as a mistake does, and so does `/modes` anywhere. */
function asks({ name, said }: Found, hasText: boolean): boolean {
  if (said.kind === "bare") return name === "modes" || !hasText;
  return said.kind === "invalid" && !hasText;
}

function changesOf({ name, said }: Found, hasText: boolean): readonly ModeChange[] {
  if (said.kind === "invalid" || (said.kind === "bare" && !hasText)) return [];
  if (name === "modes") return said.kind === "off" ? [{ mode: "all", on: false }] : [];
  if (said.kind !== "on") return [{ mode: name, on: said.kind === "bare" }];
  switch (name) {
    case "think":
      return [{ mode: name, on: true, level: said.level }];
    case "verbose":
      return [{ mode: name, on: true }];
    case "elevated":
      return [{ mode: name, on: true, forMs: said.forMs }];
  }
}

function invalid(name: ModeName, hint: string): Found {
  return { name, said: { kind: "invalid", hint } };
}

function takes(name: ModeName): string {
  return `It takes ${valuesOf(name)}.`;
}

/** One whitespace belongs to the mode before it; all other bytes are the person's. */
function withoutSpace(text: string, end: number): string {
  return text.slice(text.startsWith("\r\n", end) ? end + 2 : end + 1);
}

const WORD = /^\/([a-z]{3,16})(?=$|[\s:@])/i;
/** Commands of other systems that are spelt nearly like a mode. */
const OTHERS: ReadonlySet<string> = new Set(["model", "models"]);

/** What looks like a mode at the start of the text and is none. */
function hintsOn(rest: string, any: boolean): readonly string[] {
  const start = rest.trimStart();
  const [, word = ""] = WORD.exec(start) ?? [];
  if (any && modeAt(start, 0) !== undefined) {
    return [`/${word} on a later line is text: modes stand one after the other on the first.`];
  }
  const meant = OTHERS.has(word.toLowerCase()) ? undefined : misspelt(word.toLowerCase());
  return meant === undefined ? [] : [`/${word} is no mode and stays text. Did you mean /${meant}?`];
}

/** The name that was meant: close to it, with the same start or the same end. */
function misspelt(word: string): string | undefined {
  const near = word === "" ? undefined : nearest(word, LONG_NAMES);
  if (near === undefined || near === word || near[0] !== word[0]) return undefined;
  return near.slice(0, 3) === word.slice(0, 3) || near.slice(-3) === word.slice(-3) ? near : undefined;
}
