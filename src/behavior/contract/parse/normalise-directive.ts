import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { segmentGraphemes } from "../../../base/kernel/text.ts";
import { comparisonKey, displayText } from "./comparison-key.ts";
import { KEYWORDS } from "./directive-form.ts";

/** The number of graphemes, counted up to `most`. */
export function graphemesOf(text: string, most: number): number {
  let count = 0;
  for (const _ of segmentGraphemes(text)) {
    count += 1;
    if (count >= most) break;
  }
  return count;
}

type Check = { readonly found: RegExp; readonly what: string; readonly fix: string };

/** Checks of the text as written, because cleaning would hide these. */
const WRITTEN: readonly Check[] = [
  {
    found: /[\n\r\v\f\u0085\u2028\u2029]/,
    what: "more than one line",
    fix: "Write it on one line. Every further line is a separate directive.",
  },
  {
    found: /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
    what: "characters that change the text direction",
    fix: "Type it again without them.",
  },
  {
    // Tabs are white space; emoji and some letters need joiners and variation selectors.
    found:
      /(?![\t\u00ad\u200b\u200c\u2060\ufeff]|\u200d|[\ufe00-\ufe0f]|[\u180b-\u180d])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u,
    what: "control or invisible characters",
    fix: "Type it again instead of pasting it.",
  },
];

/** Checks of the text as a lenient reader sees it: compatibility forms folded, invisible characters removed. */
const SEEN: readonly Check[] = [
  {
    found: /<\s*[/!?%]?\s*\p{L}|<\s*[/!?%]|%>/u,
    what: "a tag",
    fix: "Remove the angle brackets. A directive must not open or close a block.",
  },
  {
    found: /GATEWAY_BEHAVIOR_CONTRACT/i,
    what: "the name of the contract's block",
    fix: "Remove it. A directive must not look like the start or end of the contract.",
  },
  {
    found: /^#{1,6}(?:\s|$)|(?:^|\s)#{2,6}(?:\s|$)/,
    what: "a heading",
    fix: "Remove the # marks. A directive must not start a section.",
  },
  {
    found: /\{\{|\}\}|\{%|\$\{|\$\p{L}|\$_/u,
    what: "a template placeholder",
    fix: "Write the value itself. Placeholders are not filled in.",
  },
];

function refuseText(written: string, text: string): RefusedText | undefined {
  const seen = text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC");
  const found = WRITTEN.find((check) => check.found.test(written)) ?? SEEN.find((check) => check.found.test(seen));
  if (found !== undefined) return { message: `The text contains ${found.what}.`, fix: found.fix };
  const words = seen.matchAll(/(?<![\p{L}\p{M}\p{N}])(\p{L}[\p{L}\p{M}]{1,19})[*_]{0,2}:/gu);
  const nested = words.map(([, word = ""]) => word).find((word) => KEYWORDS.has(word));
  if (nested !== undefined) {
    return { message: `The text contains another directive: ${nested}:`, fix: "Write one directive on each line." };
  }
  if (redactSecrets(text) === text && redactSecrets(seen) === seen) return undefined;
  return {
    message: "The text seems to contain a password, key or token.",
    fix: "Remove it. The contract is sent with every turn and stored in the journal.",
  };
}

/** Directives with the same `key` say the same. */
export type NormalDirective = { readonly text: string; readonly key: string };
export type RefusedText = { readonly message: string; readonly fix: string };

/** The text (without keyword) as stored in the contract, or why it is refused. */
export function normaliseDirective(written: string): NormalDirective | { readonly refused: RefusedText } {
  if (written.length > MAX_UNITS * 2) return { refused: tooLong(`${written.length} characters`) };
  const text = displayText(written);
  const key = comparisonKey(text);
  const refused = refuseText(written.trim(), text) ?? refuseLength(text, key);
  return refused === undefined ? { text, key } : { refused };
}

function refuseLength(text: string, key: string): RefusedText | undefined {
  if (text.length > MAX_UNITS) return tooLong(`${text.length} characters`);
  const length = graphemesOf(text, MAX_GRAPHEMES + 1);
  if (length > MAX_GRAPHEMES) return tooLong(`more than ${MAX_GRAPHEMES} characters`);
  if (length >= MIN_GRAPHEMES && key !== "") return undefined;
  const fix = "Describe it in a few words, such as: short answers.";
  return { message: text === "" ? "The text is empty." : `'${text}' is too short.`, fix };
}

function tooLong(length: string): RefusedText {
  return {
    message: `The text has ${length}; the limit is ${MAX_GRAPHEMES}.`,
    fix: "Shorten it, or split it into several directives.",
  };
}

const MIN_GRAPHEMES = 2;
const MAX_GRAPHEMES = 320;

/** One grapheme can have any number of marks, so the code units are bounded too. */
const MAX_UNITS = 2_000;
