import type { Clause } from "./clauses.ts";
import { type Hit, wordSet } from "./phrase-table.ts";
import { STYLE_VERBS, TALK_VERBS } from "./tables/words.ts";
import { QUOTED } from "./tokens.ts";

const talks = wordSet(TALK_VERBS);
const styles = wordSet(STYLE_VERBS);
/** Nouns of the agent's own. */
const NOUNS = new Set(["speech", "work", "habitual"]);
/** After `this` these do not name a thing. */
const NO_THING = wordSet(
  "is | was | way | kind | sort | you | i | are | were | it | for | , | . | ! | ? | and | but | or | would | will | should | must | has | to | again | does | do | not | can | in | on | please | from | one",
);
/** What is done, and to what. */
export function addObject(features: Set<string>, words: readonly string[], { kind, head, to }: Clause): void {
  const verb = words[head] ?? "";
  const base = verb.replace(/(?:e?ing|ed)$/, "");
  if (talks.has(verb) || talks.has(base) || talks.has(`${base}e`)) features.add(`${kind}:talk`);
  else if (styles.has(verb) || styles.has(base) || styles.has(`${base}e`)) features.add(`${kind}:style`);
  else features.add(`${kind}:act`);
  const thing = kind !== "do" && kind !== "dont" && kind !== "keep" && !/ing$/.test(verb) ? head : head + 1;
  const at = words[thing] === "me" || words[thing] === "us" ? thing + 1 : thing;
  features.add(`${kind}>${at >= to ? "end" : objectKind(words[at] ?? "")}`);
}

/** Kinds of an object by the word with which it begins. */
const OBJECTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    the: "the",
    this: "this | that | these | those",
    it: "it | them | him | her",
    a: "a | an | one | two | three | some",
    my: "my | our",
    your: "your",
    every: "every | each | all | any | anything | everything | anyone",
    prep: "to | with | in | on | for | at | from | by | into | of | about | as | up | out | off | back | over | down",
    when: "before | when | if | unless | until | after | whenever | without | while | whether | how | what | why | so | more | less",
  }).flatMap(([kind, list]) => [...wordSet(list)].map((word) => [word, kind] as const)),
);

function objectKind(word: string): string {
  const known = OBJECTS.get(word);
  if (known !== undefined) return known;
  if (/^\d/.test(word)) return "number";
  if (word === QUOTED) return "quote";
  if (/[^s]s$/.test(word) && word.length > 3) return "many";
  return word.endsWith("ing") ? "doing" : "bare";
}

/** Is what is named a particular thing, or always the same? */
export function addThings(features: Set<string>, words: readonly string[], hits: readonly Hit[]): void {
  const known = new Set(hits.filter(({ name }) => NOUNS.has(name)).map(({ from }) => from));
  for (const { name, from } of hits) {
    if (name === "the") features.add(known.has(from + 1) || known.has(from + 2) ? "the-usual" : "the-thing");
    if (name === "pointed" && !NO_THING.has(words[from + 1] ?? ".")) features.add("pointed");
    if (name === "your" && (known.has(from + 1) || known.has(from + 2))) features.add("your-work");
  }
  if (
    words.some(
      (word, at) =>
        word === "that" &&
        /^(?:file|one|line|mail|page|part|paragraph|test|error|branch|table|thread|case)$/.test(words[at + 1] ?? ""),
    )
  )
    features.add("pointed");
}

/** `too` is said of what there is too much of, or too little. */
export function addAmounts(features: Set<string>, words: readonly string[], hits: readonly Hit[]): void {
  const at = (name: string, from: number): boolean => hits.some((hit) => hit.name === name && hit.from === from);
  for (const { name, to } of hits) {
    if (name !== "too") continue;
    if (at("lacking", to)) features.add("too-little");
    else features.add("too-much");
  }
  if (features.has("not") && (features.has("too_many") || /\bso\b/.test(words.join(" ")))) features.add("not-so-much");
  if (hits.some(({ name, from }) => name === "more" && /^(?:no|any)$/.test(words[from - 1] ?? "")))
    features.add("no-more");
  if (hits.some(({ name, to }) => name === "more" && /^(?:than)$/.test(words[to] ?? ""))) features.add("more-than");
  if (features.has("more") && !features.has("more_brief") && !features.has("no-more")) features.add("more-of-it");
}
