import { graphemesOf } from "./graphemes.ts";
import { KEYWORDS, type Keywords } from "./keywords.ts";
import { refuseText } from "./refuse-text.ts";

/** `text` is what the agent is told; directives with one `key` say the same. */
export type NormalDirective = { readonly text: string; readonly key: string };

/** What is wrong with a text, and how to write it instead. */
export type RefusedText = { readonly message: string; readonly fix: string };

/** The text as it would stand in the contract, or why it cannot stand there. The type's keyword is not part of it. */
export function normaliseDirective(
  written: string,
  keywords: Keywords = KEYWORDS,
): NormalDirective | { readonly refused: RefusedText } {
  if (written.length > MAX_UNITS * 2) return { refused: tooLong(`${written.length} characters`) };
  const text = displayText(written);
  const key = comparisonKey(text);
  const refused = refuseText(written.trim(), text, keywords) ?? refuseLength(text, key);
  return refused === undefined ? { text, key } : { refused };
}

/** Composed, every run of white space one space, nothing around it, and without marks that only break lines. */
export function displayText(written: string): string {
  const seen = written.replace(UNSEEN, "").replace(IDLE_SELECTORS, "").replace(IDLE_JOINERS, "");
  return seen.normalize("NFC").replace(/\s+/g, " ").trim();
}

/**
 * Equal for texts that say the same: case, width, quotes, dashes, hyphens inside a word, white space, unseen characters and
 * closing punctuation aside. A key is its own key.
 */
export function comparisonKey(text: string): string {
  let key = text;
  // What one pass takes away may join what stood around it; every pass but the last makes it shorter or more folded.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const next = fold(key);
    if (next === key) break;
    key = next;
  }
  return key;
}

function fold(text: string): string {
  return text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/i\u0307/g, "i")
    .replace(/ς/g, "σ")
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(DASHES, "-")
    .replace(/(?<=\p{L})-+(?=\p{L})/gu, "")
    .replace(/\s+/g, " ")
    .normalize("NFKC")
    .trim()
    .replace(CLOSING, "");
}

function refuseLength(text: string, key: string): RefusedText | undefined {
  if (text.length > MAX_UNITS) return tooLong(`${text.length} characters`);
  const length = graphemesOf(text, MAX_GRAPHEMES + 1);
  if (length > MAX_GRAPHEMES) return tooLong(`more than ${MAX_GRAPHEMES} characters`);
  if (length >= MIN_GRAPHEMES && key !== "") return undefined;
  const fix = "Say in a few words what is meant, such as: short answers.";
  return { message: text === "" ? "There is no text." : `'${text}' is too short to say anything.`, fix };
}

function tooLong(length: string): RefusedText {
  return {
    message: `The text has ${length}, and a directive may have ${MAX_GRAPHEMES}.`,
    fix: "Say it shorter, or make it several directives.",
  };
}

const MIN_GRAPHEMES = 2;
const MAX_GRAPHEMES = 320;
/** One grapheme can be made of any number of marks: without this bound 320 of them could fill a prompt. */
const MAX_UNITS = 2_000;
const MAX_PASSES = 64;

/** Pasted along, and of no meaning in one line: zero-width spaces, joiners of words, soft hyphens. */
const UNSEEN = /[\u00ad\u200b\u2060\ufeff]/g;
/** Where they choose no form and join nothing, they can only carry what nobody sees. */
const IDLE_SELECTORS =
  /(?<![\p{Extended_Pictographic}\p{Emoji}\p{Script=Han}])[\ufe00-\ufe0f]|(?<!\p{Script=Mongolian})[\u180b-\u180d]/gu;
const IDLE_JOINERS =
  /(?<![[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]]\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d]/gv;
const SINGLE_QUOTES = /[‘’‚‛′‹›`´]/g;
const DOUBLE_QUOTES = /[“”„‟″«»]/g;
const DASHES = /[\p{Dash_Punctuation}\u2212\u02d7]/gu;
const CLOSING = /[\s.!?;:,…。、।؟،؛]+$/u;
