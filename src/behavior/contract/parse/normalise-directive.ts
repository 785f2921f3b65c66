import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { comparisonKey, displayText } from "./comparison-key.ts";
import { KEYWORDS } from "./directive-form.ts";

/** Created on first use, because loading it is slow. */
let graphemes: Intl.Segmenter | undefined;

/** The number of graphemes, counted up to `most`. */
export function graphemesOf(text: string, most: number): number {
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let count = 0;
  for (const _ of graphemes.segment(text)) {
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
    fix: "Write it as one line; each line more is a directive of its own.",
  },
  {
    found: /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
    what: "characters that turn the direction of writing",
    fix: "Type it again without them.",
  },
  {
    // Tabs are white space; emoji and some letters need joiners and variation selectors.
    found:
      /(?![\t\u00ad\u200b\u200c\u2060\ufeff]|\u200d|[\ufe00-\ufe0f]|[\u180b-\u180d])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u,
    what: "control characters or characters that cannot be seen",
    fix: "Type it again instead of pasting it.",
  },
];

/** Checks of the text as a lenient reader sees it: compatibility forms folded, invisible characters removed. */
const SEEN: readonly Check[] = [
  {
    found: /<\s*[/!?%]?\s*\p{L}|<\s*[/!?%]|%>/u,
    what: "a tag",
    fix: "Write it without angle brackets: nothing in the contract may open or close a block.",
  },
  {
    found: /GATEWAY_BEHAVIOR_CONTRACT/i,
    what: "the name of the contract's block",
    fix: "Leave it out: nothing in the contract may look like its beginning or its end.",
  },
  {
    found: /^#{1,6}(?:\s|$)|(?:^|\s)#{2,6}(?:\s|$)/,
    what: "a heading",
    fix: "Leave the # marks out: nothing in the contract may open a section.",
  },
  {
    found: /\{\{|\}\}|\{%|\$\{|\$\p{L}|\$_/u,
    what: "a template placeholder",
    fix: "Write the value itself: placeholders are not filled in.",
  },
];

function refuseText(written: string, text: string): RefusedText | undefined {
  const seen = text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC");
  const found = WRITTEN.find((check) => check.found.test(written)) ?? SEEN.find((check) => check.found.test(seen));
  if (found !== undefined) return { message: `The text has ${found.what} in it.`, fix: found.fix };
  const words = seen.matchAll(/(?<![\p{L}\p{M}\p{N}])(\p{L}[\p{L}\p{M}]{1,19})[*_]{0,2}:/gu);
  const nested = words.map(([, word = ""]) => word).find((word) => KEYWORDS.has(word));
  if (nested !== undefined) {
    return { message: `The text has another directive in it: ${nested}:`, fix: "Write one directive on each line." };
  }
  if (redactSecrets(text) === text && redactSecrets(seen) === seen) return undefined;
  return {
    message: "The text has what looks like a password, a key or a token in it.",
    fix: "Leave it out: the contract is told at every turn and kept in the journal.",
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

/** One grapheme can have any number of marks, so the code units are bounded too. */
const MAX_UNITS = 2_000;
