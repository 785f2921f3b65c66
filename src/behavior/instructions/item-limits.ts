import { cutGraphemes } from "../../base/kernel/text.ts";

const MAX_ITEMS = 200;
const MAX_ITEM_CHARS = 2_000;

/** Why a text cannot become items; checked before anything is looked for in it. */
export function textFault(text: string): string | undefined {
  // With room for markers and indentation.
  if (text.length > MAX_ITEMS * MAX_ITEM_CHARS * 1.2) return `The text has ${text.length} characters; ${TOO_MUCH}`;
  return text.includes("\0") ? "The text has a NUL character in it; leave that out." : undefined;
}

/** Why these texts cannot be kept, `total` items with them, if they cannot. They are never cut to fit. */
export function itemsFault(texts: readonly string[], total = texts.length): string | undefined {
  const long = texts.find((text) => text.length > MAX_ITEM_CHARS);
  if (long !== undefined) {
    const start = JSON.stringify(`${cutGraphemes(long, 40)}…`);
    return `The instruction ${start} has ${long.length} characters, and one may have ${MAX_ITEM_CHARS}: split it, or say it shorter.`;
  }
  return total > MAX_ITEMS ? `That would make ${total} instructions; ${TOO_MUCH}` : undefined;
}

const TOO_MUCH = `at most ${MAX_ITEMS} of ${MAX_ITEM_CHARS} characters are kept: merge or remove some first.`;
