import { parseDuration } from "../../../base/kernel/duration.ts";
import { nearest } from "../../../base/kernel/nearest.ts";
import type { ThinkLevel } from "../../../base/words/modes.ts";
import { THINK_LEVELS } from "./modes.ts";

type ModeName = "think" | "verbose" | "elevated" | "modes";

/** `/think`, `/think@bot` or `/think:high`. */
type ModeToken = {
  readonly name: ModeName;
  /** Written as `/nothink`. */
  readonly off: boolean;
  /** The text after the colon, or empty. */
  readonly value: string;
  readonly end: number;
};

const NAMES: ReadonlyMap<string, ModeName> = new Map<string, ModeName>([
  ...["think", "thinking", "t", "nothink"].map((name) => [name, "think"] as const),
  ...["verbose", "v", "noverbose"].map((name) => [name, "verbose"] as const),
  ...["elevated", "elev", "noelevated"].map((name) => [name, "elevated"] as const),
  ["modes", "modes"],
]);

/** Names long enough to be misspelt. */
const LONG_NAMES: readonly string[] = [...NAMES.keys()].filter((name) => name.length > 4);

/** A second slash makes it a path. */
const TOKEN = /\/([a-z]+)(?:@\w{1,64})?(?::([^\s/]{0,32}))?(?!\S)/iy;

/** The mode at this position, if any. */
export function modeAt(text: string, at: number): ModeToken | undefined {
  TOKEN.lastIndex = at;
  const [all = "", word = "", value = ""] = TOKEN.exec(text) ?? [];
  const written = word.toLowerCase();
  const name = NAMES.get(written);
  if (name === undefined) return undefined;
  return { name, off: written.startsWith("no"), value: value.toLowerCase(), end: at + all.length };
}

type ModeValue =
  | { readonly kind: "on"; readonly level?: ThinkLevel; readonly forMs?: number }
  | { readonly kind: "off" };

/** A longer time is probably a mistake; no time means no end. */
const MAX_ELEVATION_MS = 365 * 86_400_000;

const VALUES: Readonly<Record<ModeName, string>> = {
  think: `on, off, ${THINK_LEVELS.join(", ")}`,
  verbose: "on, off",
  elevated: "on, off, or a time such as 10m or 2h",
  modes: "reset",
};

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
 * The value after a space, unless it may be text: `off` and times always count, other values only before another mode or a
 * line end. So `/think on the problem` keeps its text.
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

function skipBlanks(text: string, at: number): number {
  BLANKS.lastIndex = at;
  return at + (BLANKS.exec(text)?.[0].length ?? 0);
}

function standsAlone(text: string, at: number): boolean {
  const next = skipBlanks(text, at);
  return next === text.length || /\s/.test(text.charAt(next)) || modeAt(text, next) !== undefined;
}

const TIME = /^\d+(?:\.\d+)?\s?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?!\w)/i;
/** Includes the values of other systems, which may come before a text: `/elevated ask hi`. */
const NOT_ON = /^\W*(?:off|no|not|none|never|false|disabled?|stop|of|ask|full)(?![\w-])/i;

/** True for words after `/elevated` that may mean off or a time: nobody is elevated on a guess. */
function isUnclear(rest: string): boolean {
  const text = rest.slice(0, 80).trim();
  return TIME.test(text) || NOT_ON.test(text);
}

/** `forMs`: the duration of the elevation. */
export type ModeChange =
  | { readonly mode: "think"; readonly on: boolean; readonly level?: ThinkLevel }
  | { readonly mode: "verbose"; readonly on: boolean }
  | { readonly mode: "elevated"; readonly on: boolean; readonly forMs?: number }
  | { readonly mode: "all"; readonly on: false };

/** `any`: the message begins with a mode. `text`: the rest, byte for byte. */
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

const MAX_HINTS = 5;

/** Reads the modes at the start of a message. Later lines, paths, links and code are text. */
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
    const hint = `Not elevated: the text after /elevated could be a value. ${takes("elevated")}`;
    modes[modes.length - 1] = invalid("elevated", hint);
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
    const hint = off ? `/no${name} takes no value.` : `'${value}' is not a value of /${name}. ${takes(name)}`;
    return { found: said === undefined ? invalid(name, hint) : { name, said }, end };
  }
  if (off) return { found: { name, said: { kind: "off" } }, end };
  const after = valueAfter(text, end, name);
  return { found: { name, said: after?.value ?? { kind: "bare" } }, end: after?.end ?? end };
}

/** A bare mode before a text switches on; alone it asks for the state, and so does a mistake or `/modes`. */
function asks({ name, said }: Found, hasText: boolean): boolean {
  if (said.kind === "bare") return name === "modes" || !hasText;
  return said.kind === "invalid" && !hasText;
}

function changesOf({ name, said }: Found, hasText: boolean): readonly ModeChange[] {
  if (said.kind === "invalid" || (said.kind === "bare" && !hasText)) return [];
  if (name === "modes") return said.kind === "off" ? [{ mode: "all", on: false }] : [];
  if (said.kind !== "on") return [{ mode: name, on: said.kind === "bare" }];
  if (name === "think") return [{ mode: name, on: true, level: said.level }];
  return [name === "verbose" ? { mode: name, on: true } : { mode: name, on: true, forMs: said.forMs }];
}

function invalid(name: ModeName, hint: string): Found {
  return { name, said: { kind: "invalid", hint } };
}

function takes(name: ModeName): string {
  return `It takes ${VALUES[name]}.`;
}

/** One white space belongs to the mode. */
function withoutSpace(text: string, end: number): string {
  return text.slice(text.startsWith("\r\n", end) ? end + 2 : end + 1);
}

const WORD = /^\/([a-z]{3,16})(?=$|[\s:@])/i;

/** Commands of other systems that look like a misspelt mode. */
const OTHERS: ReadonlySet<string> = new Set(["model", "models"]);

function hintsOn(rest: string, any: boolean): readonly string[] {
  const start = rest.trimStart();
  const [, word = ""] = WORD.exec(start) ?? [];
  if (any && modeAt(start, 0) !== undefined) {
    return [`/${word} on a later line is treated as text. Put all modes on the first line.`];
  }
  const [first = "", ignored] = modesAfter(start);
  const also = ignored === undefined ? "" : ` So ${ignored} after it had no effect. Put modes first.`;
  const meant = OTHERS.has(word.toLowerCase()) ? undefined : misspelt(word.toLowerCase());
  if (meant !== undefined) return [`/${word} is not a mode and is treated as text. Did you mean /${meant}?${also}`];
  return also === "" ? [] : [`${first} is not a mode and is treated as text.${also}`];
}

const FIRST_WORD = /^\/[a-z]+(?:[:@]\S*)?(?=[^\S\r\n]+\/)/i;

/** An unknown command, and the modes right behind it, which were probably meant to count. */
function modesAfter(text: string): readonly [] | readonly [string, string] {
  const [first] = FIRST_WORD.exec(text.slice(0, 80)) ?? [];
  if (first === undefined) return [];
  const found: string[] = [];
  for (
    let at = skipBlanks(text, first.length), token = modeAt(text, at);
    token !== undefined;
    token = modeAt(text, at)
  ) {
    if (found.length < MAX_HINTS) found.push(text.slice(at, token.end));
    at = skipBlanks(text, token.end);
  }
  return found.length === 0 ? [] : [first, found.join(" and ")];
}

/** The mode that was probably meant: similar, with the same start or end. */
function misspelt(word: string): string | undefined {
  const near = word === "" ? undefined : nearest(word, LONG_NAMES);
  if (near === undefined || near === word || near[0] !== word[0]) return undefined;
  return near.slice(0, 3) === word.slice(0, 3) || near.slice(-3) === word.slice(-3) ? near : undefined;
}
