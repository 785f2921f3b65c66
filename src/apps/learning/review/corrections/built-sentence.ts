import type { Clause } from "./clauses.ts";
import { ASKED_BY, ASKS } from "./core-clause.ts";
import { type Hit, wordSet } from "./phrase-table.ts";
import { VERBS } from "./tables/words.ts";

/** What a construction looks at: the words, the clauses, and at which words phrases of a class begin. */
export type Built = {
  readonly words: readonly string[];
  readonly clauses: readonly Clause[];
  /** Is there a phrase of this class that begins between these words? */
  has(name: string, from?: number, to?: number): boolean;
  /** Is there one anywhere in the sentence, beside the clause that asks too? */
  says(name: string): boolean;
  readonly hits: readonly Hit[];
};

/** Named ways in which a sentence may be built. */
export type Constructions = Readonly<Record<string, (sentence: Built) => boolean>>;

const verbs = wordSet(VERBS);

/** A verb with which people tell an agent what to do. */
export function isVerb(word = ""): boolean {
  return verbs.has(word);
}

export function asks(clauses: readonly Clause[]): boolean {
  return clauses.some(({ kind, frames }) => ASKS.has(kind) || frames.some((frame) => ASKED_BY.has(frame)));
}

/** A moment that comes once: `you are done`, `it is ready`, `I am back`. */
export function isMoment([who = "", what = "", how = ""]: readonly string[]): boolean {
  return (
    /^(?:done|ready|finished|back|home|free|online|at)$/.test(how) ||
    (/^(?:you|i)$/.test(who) &&
      /^(?:have|go|leave|can|get|got)$/.test(what) &&
      /^(?:it|them|time|,|\.|!|)$/.test(how)) ||
    (who === "i" && what === "am")
  );
}

export function lasts(has: Built["has"]): boolean {
  return has("lasting") || has("always") || has("calendar") || has("never");
}

export function isDoing(word = ""): boolean {
  return (
    word.length > 4 &&
    word.endsWith("ing") &&
    !/^(?:anything|something|nothing|everything|morning|evening|meeting|string)$/.test(word)
  );
}

/** A bare plural: many of them, none in particular. */
export function isMany(words: readonly string[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const word = words[at] ?? "";
    if (/^(?:the|this|that|these|those|my|our|it|them|a|an|to|on|in|for|with|,)$/.test(word)) return false;
    if (word.length > 3 && /[^s]s$/.test(word)) return true;
  }
  return false;
}

export function isOne(words: readonly string[], at: number): boolean {
  const skip = /^(?:me|us)$/.test(words[at] ?? "") ? at + 1 : at;
  return /^(?:the|a|an|my|our|his|her|this|that)$/.test(words[skip] ?? "");
}

/** `runs`, `wants`, `said` right after who does it. */
export function isThirdPerson(words: readonly string[], head: number): boolean {
  const next = words[head + 1] ?? "";
  const verb = /^(?:always|never|often|usually|still|just)$/.test(next) ? (words[head + 2] ?? "") : next;
  return (
    /^(?:said|says|wants|wanted|told|thinks|has|had|keeps|is|was|does|did|prefers|likes|wrote|asked)$/.test(verb) ||
    (verb.length > 3 && /[^s]s$/.test(verb) && isVerb(verb.replace(/e?s$/, "")))
  );
}
