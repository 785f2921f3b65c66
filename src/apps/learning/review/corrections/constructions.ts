import { ASK_CONSTRUCTIONS } from "./ask-constructions.ts";
import type { Built } from "./built-sentence.ts";
import { NO_CONSTRUCTIONS } from "./no-constructions.ts";
import { TELL_CONSTRUCTIONS } from "./tell-constructions.ts";

const ALL = Object.entries({ ...NO_CONSTRUCTIONS, ...ASK_CONSTRUCTIONS, ...TELL_CONSTRUCTIONS });

/** The names of the constructions that a sentence has; what each weighs stands in tables/weights.ts. */
export function constructionsOf(sentence: Built): readonly string[] {
  return ALL.flatMap(([name, isThere]) => (isThere(sentence) ? [name] : []));
}
