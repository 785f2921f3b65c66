import type { GovernanceDraft } from "../../base/ports/governance.ts";
import type { ConductEvent } from "../../base/words/event.ts";

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text as they are compared: without case and accents. */
export function wordsOf(text: string): readonly string[] {
  return (text.match(WORD) ?? []).map(foldWord).filter((word) => word !== "");
}

/** The words to look for, each once. Single letters (the s of "user's") say nothing beside longer words. */
export function queryWords(text: string): readonly string[] {
  const words = [...new Set(wordsOf(text))];
  const longer = words.filter((word) => word.length > 1 || !/[a-z0-9]/.test(word));
  return longer.length > 0 ? longer : words;
}

function foldWord(word: string): string {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Enough for an entry of many pages; PostgreSQL takes no more than 1 MB of words. */
const MAX_WORDS = 2_000;
const MAX_SOUGHT = 64;
/** Longer words are compared by their beginning; PostgreSQL takes none of more than 2 KB. */
const MAX_WORD_CHARS = 64;
/** More is read of no text: whoever writes an entry waits for its words. */
const MAX_CHARS = 100_000;

/** By what an entry of the governance journal is found: who, what, and every text in it. */
export function governanceWords({ by, kind, body }: Pick<GovernanceDraft, "by" | "kind" | "body">): readonly string[] {
  return indexWords([by, kind, ...textsIn(body)]);
}

/** By what an event is found: the texts in it, such as messages, tools, arguments, reasons and labels. */
export function eventWords(event: ConductEvent): readonly string[] {
  return indexWords([
    ...textsIn(Object.entries(event).flatMap(([name, value]) => (NOT_TEXT.has(name) ? [] : [value]))),
  ]);
}

/** The words to look for, all of which have to be there; `undefined` when the text has none, and finds nothing. */
export function soughtWords(text: string): readonly string[] | undefined {
  const words = [...new Set(wordsOf(text.slice(0, MAX_CHARS)).map(plainWord))].slice(0, MAX_SOUGHT);
  return words.length === 0 ? undefined : words;
}

/** Whether every word that is looked for is the beginning of one. */
export function hasWords(words: readonly string[], sought: readonly string[] | undefined): boolean {
  return sought?.every((one) => words.some((word) => word.startsWith(one))) ?? false;
}

/** As FTS5 is asked for it. */
export function fts5Query(sought: readonly string[]): string {
  return sought.map((word) => `"${word}"*`).join(" AND ");
}

/** Letters and figures only: what either database would take for a sign stands as a private character. */
export function plainWord(word: string): string {
  const plain = [...word].slice(0, MAX_WORD_CHARS).join("");
  return plain.replace(SIGNS, (sign) => String.fromCharCode(0xe000 + sign.charCodeAt(0)));
}

const SIGNS = /[\0-/:-@[-`{-\x7f]/g;
/** Names by which other questions are asked. */
const NOT_TEXT: ReadonlySet<string> = new Set([
  "v",
  "id",
  "type",
  "session",
  "parent",
  "agent",
  "run",
  "contract_hash",
]);

function indexWords(texts: readonly string[]): readonly string[] {
  const words = new Set<string>();
  let left = MAX_CHARS;
  for (const text of texts) {
    for (const word of wordsOf(text.slice(0, left))) words.add(plainWord(word));
    left -= text.length;
    if (left <= 0) break;
  }
  return [...words].slice(0, MAX_WORDS);
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) yield* textsIn(part);
}
