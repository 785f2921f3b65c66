import { type Clause, clausesOf } from "./clauses.ts";
import type { Folded } from "./fold-sentence.ts";
import { type Hit, phraseFinder, wordSet } from "./phrase-table.ts";
import { SIGNS } from "./tables/signs.ts";
import { HABITUAL, SPEECH, STYLE_VERBS, TALK_VERBS, WORK } from "./tables/words.ts";
import { QUOTED, type Token, tokensOf } from "./tokens.ts";

/** A sentence, read: its words, its clauses, which signs stand where, and the names of all features that it has. */
export type ReadSentence = {
  readonly folded: Folded;
  readonly tokens: readonly Token[];
  readonly words: readonly string[];
  readonly clauses: readonly Clause[];
  readonly hits: readonly Hit[];
  readonly features: ReadonlySet<string>;
};

/** What stands around a sentence in its message. */
export type Around = { readonly before?: string; readonly next?: string };

const findSigns = phraseFinder({ ...SIGNS, speech: SPEECH, work: WORK, habitual: HABITUAL });
const talks = wordSet(TALK_VERBS);
const styles = wordSet(STYLE_VERBS);
const NOUNS = new Set(["speech", "work", "habitual"]);
/** After `this` these do not name a thing. */
const NO_THING = wordSet("is | was | way | kind | sort | you | i | are | were | it | for | , | . | ! | ? | and | but | or | would | will | should | must | has | to | again | does | do | not | can | in | on | please | from | one");
/** One file, one path, one number: a particular thing. */
const NAMED = /\b[\w-]+\.(?:ts|js|py|md|json|ya?ml|go|rs|java|css|html|txt|sql|sh|env|csv|toml)\b|(?:^|\s)[~.]{0,2}\/[\w./-]+|\b\w+_\w+\b|#\d+|\b\d{3,}\b|\b\w+\(\)/;
/** The kinds of a clause that does not say by itself what is wanted. */
const BESIDE = new Set(["when", "if", "nothing", "quote"]);
/** Signs that are looked at together with the way in which the sentence begins. */
const CROSSED = ["lasting", "always", "never", "each", "once", "you", "your", "me", "condition", "unasked", "no_need", "too", "too_many", "less", "more", "praise", "keep", "again", "should", "instead", "third", "product", "please", "speech", "work"];

/** Reads a folded sentence. Pure and linear. */
export function readSentence(folded: Folded, around: Around = {}): ReadSentence {
  const tokens = tokensOf(folded);
  const words = tokens.map(({ word }) => word);
  const clauses = clausesOf(words);
  const hits = findSigns(words);
  const features = new Set<string>();
  const signs = new Set(hits.map(({ name }) => name));
  for (const sign of signs) if (sign !== "the" && sign !== "pointed" && sign !== "habitual") features.add(sign);
  addForm(features, folded, words);
  addClauses(features, words, clauses);
  addThings(features, words, hits);
  addAmounts(features, words, hits);
  const main = clauses.find(({ kind }) => !BESIDE.has(kind)) ?? clauses[0];
  if (main !== undefined) {
    features.add(`main:${main.kind}`);
    for (const sign of CROSSED) if (features.has(sign)) features.add(`${main.kind}+${sign}`);
    for (const sign of ["the-thing", "pointed", "named", "asked", "wish", "polite", "should:", "capital"]) if (features.has(sign)) features.add(`${main.kind}+${sign}`);
  }
  addAround(features, around);
  return { folded, tokens, words, clauses, hits, features };
}

function addForm(features: Set<string>, folded: Folded, words: readonly string[]): void {
  const text = folded.text.trimEnd();
  const count = words.length;
  features.add(count <= 3 ? "words:1-3" : count <= 6 ? "words:4-6" : count <= 12 ? "words:7-12" : count <= 20 ? "words:13-20" : "words:21+");
  if (text.endsWith("?")) features.add("asked");
  if (text.endsWith("!")) features.add("exclaimed");
  if (words.includes(QUOTED)) features.add("quotes");
  const written = folded.cut(0);
  if (NAMED.test(written)) features.add("named");
  if (/[\p{Ll},] \p{Lu}[\p{Ll}]/u.test(written.replaceAll("I'", "i'"))) features.add("capital");
}

function addClauses(features: Set<string>, words: readonly string[], clauses: readonly Clause[]): void {
  for (const [place, clause] of clauses.entries()) {
    features.add(place === 0 ? `first:${clause.kind}` : `later:${clause.kind}`);
    for (const frame of clause.frames) features.add(`frame:${frame}`);
    if (clause.kind === "do" || clause.kind === "dont" || clause.kind === "no" || clause.kind === "keep") addObject(features, words, clause);
    if (clause.kind === "you" || clause.kind === "your" || clause.kind === "it") features.add(`${clause.kind}:${words[clause.head + 1] ?? ""}`.slice(0, 12));
  }
  if (features.has("asked") && !features.has("frame:polite")) features.add("asked:plain");
  if (features.has("frame:polite") && features.has("asked")) features.add("asked:politely");
}

/** What is done, and to what. */
function addObject(features: Set<string>, words: readonly string[], { kind, head, to }: Clause): void {
  const verb = words[head] ?? "";
  const base = verb.replace(/(?:e?ing|ed)$/, "");
  if (talks.has(verb) || talks.has(base) || talks.has(`${base}e`)) features.add(`${kind}:talk`);
  else if (styles.has(verb) || styles.has(base) || styles.has(`${base}e`)) features.add(`${kind}:style`);
  else features.add(`${kind}:act`);
  const thing = kind === "no" && !/ing$/.test(verb) ? head : head + 1;
  const at = words[thing] === "me" || words[thing] === "us" ? thing + 1 : thing;
  features.add(`${kind}>${at >= to ? "end" : objectKind(words[at] ?? "")}`);
}

function objectKind(word: string): string {
  if (word === "the") return "the";
  if (/^(?:this|that|these|those)$/.test(word)) return "this";
  if (/^(?:it|them|him|her)$/.test(word)) return "it";
  if (/^(?:a|an|one|two|three|some)$/.test(word)) return "a";
  if (/^(?:my|our)$/.test(word)) return "my";
  if (/^(?:your)$/.test(word)) return "your";
  if (/^(?:every|each|all|any|anything|everything|anyone)$/.test(word)) return "every";
  if (/^(?:to|with|in|on|for|at|from|by|into|of|about|as|up|out|off|back|over|down)$/.test(word)) return "prep";
  if (/^(?:before|when|if|unless|until|after|whenever|without|while|whether|that|how|what|why|so|more|less)$/.test(word)) return "when";
  if (/^\d/.test(word)) return "number";
  if (word === QUOTED) return "quote";
  if (/[^s]s$/.test(word) && word.length > 3) return "many";
  if (/ing$/.test(word)) return "doing";
  return "bare";
}

function addThings(features: Set<string>, words: readonly string[], hits: readonly Hit[]): void {
  const known = new Set(hits.filter(({ name }) => NOUNS.has(name)).map(({ from }) => from));
  for (const { name, from } of hits) {
    if (name === "the") features.add(known.has(from + 1) || known.has(from + 2) ? "the-usual" : "the-thing");
    if (name === "pointed" && !NO_THING.has(words[from + 1] ?? ".")) features.add("pointed");
    if (name === "your" && (known.has(from + 1) || known.has(from + 2))) features.add("your-work");
  }
  if (words.some((word, at) => word === "that" && /^(?:file|one|line|mail|page|part|paragraph|test|error|branch|table|thread|case)$/.test(words[at + 1] ?? ""))) features.add("pointed");
}

/** `too` is said of what there is too much of, or too little. */
function addAmounts(features: Set<string>, words: readonly string[], hits: readonly Hit[]): void {
  const at = (name: string, from: number): boolean => hits.some((hit) => hit.name === name && hit.from === from);
  for (const { name, to } of hits) {
    if (name !== "too") continue;
    if (at("lacking", to)) features.add("too-little");
    else features.add("too-much");
  }
  if (features.has("not") && (features.has("too_many") || /\bso\b/.test(words.join(" ")))) features.add("not-so-much");
  if (hits.some(({ name, from }) => name === "more" && /^(?:no|any)$/.test(words[from - 1] ?? ""))) features.add("no-more");
  if (hits.some(({ name, to }) => name === "more" && /^(?:than)$/.test(words[to] ?? ""))) features.add("more-than");
  if (features.has("more") && !features.has("more_brief") && !features.has("no-more")) features.add("more-of-it");
}

/** A short sentence after it may say that it lasts, or that it was said before; one before it may name what it is about. */
function addAround(features: Set<string>, { before, next }: Around): void {
  if (before === undefined) features.add("opens-message");
  if (next === undefined) features.add("ends-message");
  if (next !== undefined && next.length < 80) {
    const signs = new Set(findSigns(tokensOf({ text: next }).map(({ word }) => word)).map(({ name }) => name));
    for (const sign of ["lasting", "always", "never", "again", "keep", "stop", "praise", "dislike"]) if (signs.has(sign)) features.add(`next:${sign}`);
    if (next.endsWith("?")) features.add("next:asked");
  }
  if (before !== undefined) {
    const signs = new Set(findSigns(tokensOf({ text: before }).map(({ word }) => word)).map(({ name }) => name));
    for (const sign of ["praise", "too", "dislike", "your", "you", "stop"]) if (signs.has(sign)) features.add(`before:${sign}`);
    if (before.endsWith(":")) features.add("before:colon");
  }
}
