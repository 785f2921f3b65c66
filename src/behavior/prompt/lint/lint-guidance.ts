import type { LintFinding, LintRule } from "./lint-prompt.ts";
import { sentencesOf, type ToldText } from "./lint-text.ts";

/** Sentences of fewer words are alike by chance. */
const LEAST_WORDS = 4;
/** For those that are only nearly alike. */
const LEAST_WORDS_NEAR = 6;
/** Share of word pairs that two sentences have in common. */
const NEAR = 0.6;
const NEGATIONS: ReadonlySet<string> = new Set(["never", "not", "no", "don't", "dont", "cannot", "can't", "avoid"]);
/** Say how strongly, not what. */
const FORCE: ReadonlySet<string> = new Set(["always", "do", "must", "should", "please", "ever", "really"]);

type Sentence = {
  readonly id: string;
  readonly own: boolean;
  readonly quote: string;
  readonly words: readonly string[];
  readonly pairs: ReadonlySet<string>;
  readonly tools: string;
  readonly negative: boolean;
};

/** The same told in two sections: word for word, nearly so, with another tool, or with the opposite meaning. */
export function lintGuidance(told: readonly ToldText[], names: ReadonlySet<string>): readonly LintFinding[] {
  const sentences = told.flatMap(({ id, text, own }) =>
    sentencesOf(text).flatMap((quote) => read(id, own, quote, names)),
  );
  const byPair = new Map<string, number[]>();
  const findings: LintFinding[] = [];
  for (const [at, sentence] of sentences.entries()) {
    const shared = new Map<number, number>();
    for (const pair of sentence.pairs) {
      const earlier = byPair.get(pair) ?? [];
      for (const other of earlier) shared.set(other, (shared.get(other) ?? 0) + 1);
      earlier.push(at);
      byPair.set(pair, earlier);
    }
    const told = new Set<string>();
    for (const [index, common] of shared) {
      const other = sentences[index];
      if (other === undefined || other.id === sentence.id || (other.own && sentence.own) || told.has(other.id))
        continue;
      const rule = compare(other, sentence, common);
      if (rule === undefined) continue;
      told.add(other.id);
      findings.push(finding(rule, other, sentence));
    }
  }
  return findings;
}

function read(id: string, own: boolean, quote: string, names: ReadonlySet<string>): readonly Sentence[] {
  const tools = new Set<string>();
  const masked = quote.replace(/`?([A-Za-z][\w-]*)(?:\(\))?`?/g, (whole, word: string) => {
    const named = names.has(word) && (word.includes("_") || whole.startsWith("`"));
    if (!named && !/^[a-z][a-z0-9]*(?:__?[a-z0-9]+)+$/.test(word)) return whole;
    tools.add(word);
    return "§";
  });
  const all =
    masked
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/§|[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? [];
  const words = all.filter((word) => !NEGATIONS.has(word) && !FORCE.has(word));
  if (words.length < LEAST_WORDS - 1 || all.length < LEAST_WORDS) return [];
  const pairs = new Set(words.slice(1).map((word, at) => `${words[at]} ${word}`));
  const negative = all.some((word) => NEGATIONS.has(word));
  return [{ id, own, quote, words, pairs, tools: [...tools].sort().join(", "), negative }];
}

function compare(a: Sentence, b: Sentence, common: number): LintRule | undefined {
  const equal = a.words.join(" ") === b.words.join(" ");
  const alike = common / (a.pairs.size + b.pairs.size - common);
  const long = Math.min(a.words.length, b.words.length) >= LEAST_WORDS_NEAR;
  if (!equal && (!long || alike < NEAR)) return undefined;
  if (a.negative !== b.negative) return "contradiction";
  if (a.tools !== b.tools) return long ? "different-tools" : undefined;
  return equal ? "duplicate" : "near-duplicate";
}

function finding(rule: LintRule, first: Sentence, second: Sentence): LintFinding {
  const [contributor, other] = first.own ? [second, first] : [first, second];
  const base = {
    level: "warning",
    rule,
    contributor: contributor.id,
    other: other.id,
    quote: contributor.quote,
  } as const;
  const also = `${other.id}: ${JSON.stringify(other.quote)}`;
  switch (rule) {
    case "contradiction":
      return { ...base, message: `it says the opposite of ${also}`, fix: "keep the one that is meant" };
    case "different-tools":
      return {
        ...base,
        message: `it names ${contributor.tools || "no tool"} where ${other.id} names ${other.tools || "none"} for the same thing`,
        fix: "say it once, with the tool that is meant",
      };
    case "duplicate":
      return { ...base, message: `${other.id} says the same`, fix: "say it once" };
    default:
      return { ...base, message: `it is nearly the same as ${also}`, fix: "say it once" };
  }
}
