import { nearest } from "../../../base/kernel/nearest.ts";
import type { LintFinding, LintRule } from "./lint-prompt.ts";

/** A contributor's text. `own`: written by Conduct. */
export type ContributorText = { readonly id: string; readonly text: string; readonly own: boolean };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The text with its code blocks blanked; lines keep their positions. */
export function proseOf(text: string): string {
  let fence: string | undefined;
  return text
    .split("\n")
    .map((line) => {
      const [, mark] = FENCE.exec(line) ?? [];
      if (fence !== undefined) {
        if (mark?.startsWith(fence)) fence = undefined;
        return "";
      }
      fence = mark;
      return mark === undefined ? line : "";
    })
    .join("\n");
}

/** Sentences and list items, without headings. */
function sentencesOf(text: string): readonly string[] {
  return proseOf(text)
    .split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)]) )|\n(?=#)/)
    .filter((block) => !/^\s*#{1,6} /.test(block))
    .flatMap((block) => block.replace(/^\s*(?:[-*+]|\d+[.)]) /, "").split(/(?<=[.!?])\s+|\n/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** Names that a text may use: tools, actions, arguments. `closed`: the agent declares all its tools. */
export type KnownNames = { readonly known: ReadonlySet<string>; readonly closed: boolean };

/** Common first words of tool names. */
const VERBS: ReadonlySet<string> = new Set(
  `add append apply ask browse call cancel check clear close commit copy create delete deploy describe download edit exec execute
  export fetch find get grep import insert invoke list load look lookup make merge move notify open patch ping post publish pull push
  put query read recall record remember remove rename replace reply report request reset resolve restart review run save schedule
  search send set show start stop store submit summarize sync test transfer translate trigger undo update upload use validate verify
  view wait web write`.split(/\s+/),
);

/** Sections that name files, skills and tags. */
const NAMES_OTHERS: ReadonlySet<string> = new Set(["builtin:skills", "builtin:docs", "builtin:reply-tags"]);

const SPAN = /`([A-Za-z][\w-]*)(?:\(\))?`/g;

/** Not inside a path, variable, tag, assignment or file name. */
const BARE = /(?<![\w`$./@<{\\-])([a-z][a-z0-9]*(?:__?[a-z0-9]+)+)(?:\(\))?(?![\w`/=}>-]|[.:]\w)/g;
const BEFORE = /\b(?:call|calling|calls|invoke|invoking|tools?)\s+(?:the\s+)?[`"'“]?$/i;
const AFTER = /^[`"'”]?(?:\(\))?[`"'”]?\s+tools?\b/i;

/** Finds tools that a text names and the agent does not have. */
export function lintToolNames({ id, text }: ContributorText, { known, closed }: KnownNames): readonly LintFinding[] {
  if (NAMES_OTHERS.has(id)) return [];
  const prose = proseOf(text);
  const found = new Map<string, LintFinding>();
  for (const pattern of [SPAN, BARE]) {
    for (const match of prose.matchAll(pattern)) {
      const [whole, word = ""] = match;
      const at = match.index;
      const called =
        BEFORE.test(prose.slice(Math.max(0, at - 40), at)) ||
        AFTER.test(prose.slice(at + whole.length, at + whole.length + 12));
      // Runtimes may prefix tool names with a server.
      const plain = word.replace(/^mcp__[^_]+(?:_[^_]+)*__/, "");
      if (known.has(word) || known.has(plain) || found.get(word)?.level === "error") continue;
      const finding = judge(id, word, called, known, closed);
      if (finding !== undefined && (finding.level === "error" || !found.has(word))) found.set(word, finding);
    }
  }
  return [...found.values()];
}

function judge(
  id: string,
  word: string,
  called: boolean,
  known: ReadonlySet<string>,
  closed: boolean,
): LintFinding | undefined {
  const shaped = word.includes("_") && word !== word.toUpperCase();
  const slip = word.length < 5 ? undefined : [...known].find((name) => isOneSlip(word, name));
  const looks = shaped ? called || VERBS.has(word.split("_")[0] ?? "") || /\w__\w/.test(word) : called;
  if (!looks && slip === undefined) return undefined;
  const meant = slip ?? nearest(word, known);
  const otherwise = "declare the tool, or describe it without a name";
  return {
    level: shaped && called && closed ? "error" : "warning",
    rule: "unknown-tool",
    contributor: id,
    quote: word,
    message: `'${word}' is not a tool of this agent`,
    fix: meant === undefined ? otherwise : `did you mean '${meant}'? Otherwise ${otherwise}`,
  };
}

/** One letter added, missing or changed, or two swapped. */
function isOneSlip(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
}

/** Shorter sentences are alike by chance. */
const LEAST_WORDS = 4;

/** The limit for nearly equal sentences. */
const LEAST_WORDS_NEAR = 6;

/** Share of common word pairs from which sentences are nearly equal. */
const NEAR = 0.6;
const NEGATIONS: ReadonlySet<string> = new Set(["never", "not", "no", "don't", "dont", "cannot", "can't", "avoid"]);

/** Words that only add emphasis. */
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

/** Finds guidance that two sections repeat, exactly or nearly, with another tool, or with the opposite meaning. */
export function lintGuidance(told: readonly ContributorText[], names: ReadonlySet<string>): readonly LintFinding[] {
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
  const [mine, other] = first.own ? [second, first] : [first, second];
  const found = (message: string, fix: string): LintFinding => {
    return { level: "warning", rule, contributor: mine.id, other: other.id, quote: mine.quote, message, fix };
  };
  const also = `${other.id}: ${JSON.stringify(other.quote)}`;
  switch (rule) {
    case "contradiction":
      return found(`it contradicts ${also}`, "keep the correct one");
    case "different-tools": {
      const names = `it names ${mine.tools || "no tool"} where ${other.id} names ${other.tools || "none"}`;
      return found(`${names} for the same thing`, "say it once, with the correct tool");
    }
    case "duplicate":
      return found(`${other.id} says the same`, "say it once");
    default:
      return found(`it is nearly the same as ${also}`, "say it once");
  }
}
