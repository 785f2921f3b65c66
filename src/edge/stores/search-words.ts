import type { GovernanceDraft } from "../../base/ports/stores/governance.ts";
import type { ConductEvent } from "../../base/words/event.ts";

/** Most words and hashes; nothing in them folds. */
const PLAIN = /^[a-z0-9]+$/;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text, without case and accents. */
export function wordsOf(text: string): readonly string[] {
  if (PLAIN.test(text)) return [text];
  return (text.match(WORD) ?? []).map(foldWord).filter((word) => word !== "");
}

/** The words of a query, each once, without single letters (the s of "user's") if there are longer words. */
export function queryWords(text: string): readonly string[] {
  const words = [...new Set(wordsOf(text))];
  const longer = words.filter((word) => word.length > 1 || !/[a-z0-9]/.test(word));
  return longer.length > 0 ? longer : words;
}

function foldWord(word: string): string {
  if (PLAIN.test(word)) return word;
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Enough for an entry of many pages; PostgreSQL takes no more than 1 MB of words. */
const MAX_WORDS = 2_000;
const MAX_SOUGHT = 64;
/** Longer words are cut; PostgreSQL accepts at most 2 KB. */
const MAX_WORD_CHARS = 64;
/** Longer texts are cut, because the writer waits for the indexing. */
const MAX_CHARS = 100_000;

/** The search words of a governance entry: author, kind and every text in it. */
export function governanceWords({ by, kind, body }: Pick<GovernanceDraft, "by" | "kind" | "body">): readonly string[] {
  return indexWords(addTexts(body, new Set([by, kind])));
}

/** The search words of an event: its texts, such as messages, tools, arguments, reasons and labels. */
export function eventWords(event: ConductEvent): readonly string[] {
  const texts = new Set<string>();
  for (const [name, value] of Object.entries(event)) if (!NOT_TEXT.has(name)) addTexts(value, texts);
  return indexWords(texts);
}

/** The words that a match must all contain; `undefined` if the text has none. */
export function soughtWords(text: string): readonly string[] | undefined {
  const words = [...new Set(wordsOf(text.slice(0, MAX_CHARS)).map(plainWord))].slice(0, MAX_SOUGHT);
  return words.length === 0 ? undefined : words;
}

/** Whether every sought word is the prefix of a word. */
export function hasWords(words: readonly string[], sought: readonly string[] | undefined): boolean {
  return sought?.every((one) => words.some((word) => word.startsWith(one))) ?? false;
}

/** The FTS5 query for these words. */
export function fts5Query(sought: readonly string[]): string {
  return sought.map((word) => `"${word}"*`).join(" AND ");
}

/** Letters and digits only: characters with a meaning in either query language become private-use characters. */
export function plainWord(word: string): string {
  if (word.length <= MAX_WORD_CHARS && PLAIN.test(word)) return word;
  const plain = [...word].slice(0, MAX_WORD_CHARS).join("");
  return plain.replace(SIGNS, (sign) => String.fromCharCode(0xe000 + sign.charCodeAt(0)));
}

const SIGNS = /[\0-/:-@[-`{-\x7f]/g;
/** Fields that have filters of their own. */
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

function indexWords(texts: ReadonlySet<string>): readonly string[] {
  const words = new Set<string>();
  let left = MAX_CHARS;
  for (const text of texts) {
    for (const word of wordsOf(text.slice(0, left))) words.add(plainWord(word));
    left -= text.length;
    if (left <= 0) break;
  }
  return [...words].slice(0, MAX_WORDS);
}

/** Adds every text in the value, each once. */
function addTexts(value: unknown, texts: Set<string>): ReadonlySet<string> {
  if (typeof value === "string") texts.add(value);
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) addTexts(part, texts);
  return texts;
}
