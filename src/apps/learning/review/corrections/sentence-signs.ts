import { type Hit, phraseFinder } from "./phrase-table.ts";
import { SIGNS } from "./tables/signs.ts";
import { HABITUAL, SPEECH, WORK } from "./tables/words.ts";

const findAll = phraseFinder({ ...SIGNS, speech: SPEECH, work: WORK, habitual: HABITUAL });

/** The signs and nouns that stand in a sentence, and where. */
export function findSigns(words: readonly string[]): readonly Hit[] {
  return withoutHidden(findAll(words));
}

/** A sign that stands inside another is none: the `now` of `from now on`, the `said` of `as i said`. */
const HIDDEN_BY: Readonly<Record<string, readonly string[]>> = {
  once: ["lasting", "again"],
  reported: ["again"],
  narrated: ["again"],
  ordinal: ["lasting", "first"],
  more: ["more_brief", "lasting"],
  more_often: ["more_brief"],
  praise: ["keep"],
  no: ["lasting", "no_need"],
  too: ["too_many"],
};

function withoutHidden(hits: readonly Hit[]): readonly Hit[] {
  return hits.filter(({ name, from, to }) => {
    const by = HIDDEN_BY[name];
    return by === undefined || !hits.some((other) => by.includes(other.name) && other.from < to && from < other.to);
  });
}

/** `Every time.`, `No exceptions!`: says of the sentence before that it lasts, and nothing else. */
export function isRemark(words: readonly string[], hits: readonly Hit[]): boolean {
  const lasting = hits.filter(({ name }) => name === "lasting" || name === "always" || name === "again");
  return (
    lasting.length > 0 &&
    words.every((word, at) => !/^\p{L}/u.test(word) || lasting.some(({ from, to }) => at >= from && at < to))
  );
}

/** Signs that tell which way; the first of them most of all. */
const WAYS: ReadonlySet<string> = new Set(
  "stop alone dont no never no_need dislike keeps forgets too too_many less brief reduce bound more_brief more_often more little keep like_that praise always lasting instead should want ensure condition style how".split(
    " ",
  ),
);

/** The signs with which a sentence begins to say which way. */
export function firstWays(hits: readonly Hit[]): readonly string[] {
  const ways = hits.filter(({ name }) => WAYS.has(name));
  const from = ways[0]?.from;
  return ways.filter((hit) => hit.from === from).map(({ name }) => `way:${name}`);
}
