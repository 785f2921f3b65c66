import { redactSecrets } from "../../base/kernel/redact-secrets.ts";
import type { Keywords } from "./keywords.ts";
import type { RefusedText } from "./normalise-directive.ts";

type Check = { readonly found: RegExp; readonly what: string; readonly fix: string };

/** Looked for in the text as it was written, because cleaning would hide them. */
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
    // Tab is white space; joiners and variation selectors make emoji and letters what they are.
    found:
      /(?![\t\u00ad\u200b\u200c\u2060\ufeff]|\u200d|[\ufe00-\ufe0f]|[\u180b-\u180d])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u,
    what: "control characters or characters that cannot be seen",
    fix: "Type it again instead of pasting it.",
  },
];

/** Looked for in the text as a lenient reader may see it: compatible forms folded, unseen characters gone. */
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

/** Why a text cannot stand in the contract whatever its length, if it cannot. */
export function refuseText(written: string, text: string, keywords: Keywords): RefusedText | undefined {
  const seen = text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC");
  const found = WRITTEN.find((check) => check.found.test(written)) ?? SEEN.find((check) => check.found.test(seen));
  if (found !== undefined) return { message: `The text has ${found.what} in it.`, fix: found.fix };
  const nested = nestedKeyword(seen, keywords);
  if (nested !== undefined) {
    return {
      message: `The text has another directive in it: ${nested}:`,
      fix: "Write one directive on each line.",
    };
  }
  if (redactSecrets(text) === text && redactSecrets(seen) === seen) return undefined;
  return {
    message: "The text has what looks like a password, a key or a token in it.",
    fix: "Leave it out: the contract is told at every turn and kept in the journal.",
  };
}

/** A keyword with its colon anywhere in the text of a directive. */
function nestedKeyword(text: string, keywords: Keywords): string | undefined {
  for (const [, word = ""] of text.matchAll(/(?<![\p{L}\p{M}\p{N}])(\p{L}[\p{L}\p{M}]{1,19})[*_]{0,2}:/gu)) {
    if (keywords.has(word)) return word;
  }
  return undefined;
}
