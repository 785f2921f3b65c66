import { isVerb } from "./built-sentence.ts";
import { gerundOf } from "./directive-text.ts";
import type { ReadSentence } from "./sentence-features.ts";
import { bare, clauseOf, cutAfter, cutWords, hitOf, thingNear } from "./sentence-words.ts";
import { GROWN, LACKED, SHRUNK } from "./tables/opposites.ts";

/** What there is to be less of; `undefined` where the sentence as it stands says it best. */
export function lessWords(read: ReadSentence): string | undefined {
  const { words } = read;
  const dont = clauseOf(read, "dont");
  if (dont !== undefined && isVerb(words[dont.head] ?? "") && words[dont.head] !== "be")
    return `${gerundOf(words[dont.head] ?? "")}${cutAfter(read, dont.head)}`;
  const many = hitOf(read, "too_many");
  if (many !== undefined && /^(?:many|much|of)$/.test(words[many.to - 1] ?? "") && many.to < words.length)
    return cutWords(read, many.to);
  const less = read.hits.find(({ name, from }) => name === "less" && /^(?:less|fewer)$/.test(words[from] ?? ""));
  if (less !== undefined && less.to < words.length && /^[\p{L}]/u.test(words[less.to] ?? ""))
    return cutWords(read, less.to);
  const reduce = hitOf(read, "reduce");
  if (
    reduce !== undefined &&
    reduce.to < words.length &&
    /^\p{L}/u.test(words[reduce.to] ?? "") &&
    !/^(?:it|that|a)$/.test(words[reduce.to] ?? "")
  ) {
    const thing = bare(cutWords(read, reduce.to));
    return /^(?:shorten|trim|condense|tighten|compress)$/.test(words[reduce.from] ?? "") ? `long ${thing}` : thing;
  }
  return tooWords(read, "excess") ?? shrunkWords(read) ?? boundWords(read) ?? namedExcess(read);
}

/** What there is to be more of. */
export function moreWords(read: ReadSentence): string | undefined {
  const { words } = read;
  const lacking = tooWords(read, "lacking");
  if (lacking !== undefined) return lacking;
  const more = read.hits.find(({ name, from }) => name === "more" && words[from] === "more");
  const clause = clauseOf(read, "do");
  if (
    more !== undefined &&
    clause !== undefined &&
    more.from > clause.head &&
    words[clause.head] !== "be" &&
    isOften(words[more.to] ?? "")
  ) {
    const text = `${gerundOf(words[clause.head] ?? "")}${cutAfter(read, clause.head)}`;
    return text.replace(/\s(?:a (?:bit|lot|little) |way |much )?more\b/i, "");
  }
  if (more !== undefined && /^[\p{L}]/u.test(words[more.to] ?? "")) return bare(cutWords(read, more.to));
  const grown = read.words.findIndex((word) => GROWN.has(word));
  if (grown >= 0) return `${GROWN.get(words[grown] ?? "")}${cutAfter(read, grown)}`;
  const enough = words.indexOf("enough");
  if (enough > 0 && words.slice(0, enough).includes("not")) {
    const after = cutWords(read, enough + 1);
    return /^\p{L}/u.test(after) && isPlainWord(words[enough - 1] ?? "")
      ? after
      : `${words[enough - 1]} ${thingNear(read, enough)}`;
  }
  return undefined;
}

function isOften(word: string): boolean {
  return /ly$|^often$|^$|^[.,!?]$|^when$|^in$|^from$|^please$/.test(word);
}

function isPlainWord(word: string): boolean {
  return /^(?:not|nearly|quite|me|give|have|is|are)$/.test(word);
}

/** `your answers are too long` -> `long answers`; of the agent itself `being long`. */
function tooWords(read: ReadSentence, way: "excess" | "lacking"): string | undefined {
  const { words, hits } = read;
  for (const { name, to } of hits) {
    const adjective = words[to] ?? "";
    if (name !== "too" || !/^\p{L}/u.test(adjective)) continue;
    const lacked = LACKED.get(adjective);
    if ((way === "lacking") !== (lacked !== undefined)) continue;
    const said =
      lacked ??
      cutWords(read, to, to + 1)
        .trim()
        .replace(/\P{L}+$/u, "");
    const you = read.clauses.find(({ head, to: end }) => words[head] === "you" && head < to && end > to);
    if (you !== undefined && /^(?:are|sound|seem|have|tend|come|can|get|were)$/.test(words[you.head + 1] ?? ""))
      return `being ${said}${cutAfter(read, to)}`;
    return `${said} ${thingNear(read, to)}`;
  }
  return undefined;
}

function shrunkWords(read: ReadSentence): string | undefined {
  const at = read.words.findIndex((word) => SHRUNK.has(word));
  return at < 0 ? undefined : `${SHRUNK.get(read.words[at] ?? "")} ${thingNear(read, at)}`;
}

/** `two options are enough` -> `more than two options`. */
function boundWords(read: ReadSentence): string | undefined {
  const bound = hitOf(read, "bound");
  if (bound === undefined) return undefined;
  const clause = read.clauses.find(({ from, to }) => from <= bound.from && bound.from < to);
  if (/^(?:is|are|will|would|suffices?|be)$/.test(read.words[bound.from] ?? "") && clause !== undefined)
    return `more than ${cutWords(read, clause.head, bound.from)}`;
  return /^(?:max|maximum|at)$/.test(read.words[bound.from] ?? "")
    ? `more than ${cutWords(read, bound.to)}`
    : undefined;
}

/** `I struggle with your long answers` -> `long answers`. */
function namedExcess(read: ReadSentence): string | undefined {
  const excess = read.hits.find(
    ({ name, to }) => name === "excess" && read.hits.some((hit) => hit.name === "speech" && hit.from === to),
  );
  if (excess !== undefined) return cutWords(read, excess.from);
  const said = hitOf(read, "excess");
  return said === undefined
    ? undefined
    : `${cutWords(read, said.from, said.to)
        .trim()
        .replace(/\P{L}+$/u, "")} ${thingNear(read, said.from)}`;
}
