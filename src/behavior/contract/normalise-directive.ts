import { comparisonKey, displayText } from "./comparison-key.ts";
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
