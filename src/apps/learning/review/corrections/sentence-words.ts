import type { Clause } from "./clauses.ts";
import { wordSet } from "./phrase-table.ts";
import type { ReadSentence } from "./sentence-features.ts";

const COPULAS = wordSet(
  "is | are | was | were | has | have | must | should | can | does | do | goes | go | gets | need | needs | work | works | help | helps | belong | belongs | will | confuse | make | makes | drive | drives | look | looks | sound | sounds | seem | seems | get | tend | could | would",
);

/** What was written from one word to before another; to the end of the sentence where none is told. */
export function cutWords({ folded, tokens }: ReadSentence, from: number, to?: number): string {
  const start = tokens[from]?.start;
  if (start === undefined) return "";
  return folded.cut(start, to === undefined ? undefined : (tokens[to]?.start ?? undefined));
}

/** What was written after a word. */
export function cutAfter(read: ReadSentence, at: number): string {
  const end = read.tokens[at]?.end;
  return end === undefined ? "" : read.folded.cut(end);
}

/** The clause of the first of these kinds that there is. */
export function clauseOf({ clauses }: ReadSentence, ...kinds: readonly Clause["kind"][]): Clause | undefined {
  return clauses.find(({ kind }) => kinds.includes(kind));
}

/** The first place of a class of phrases. */
export function hitOf(
  { hits }: ReadSentence,
  ...names: readonly string[]
): { readonly from: number; readonly to: number; readonly name: string } | undefined {
  return hits.find(({ name }) => names.includes(name));
}

/** What a clause is said of: `your commit messages` of `your commit messages are perfect`. */
export function subjectOf(read: ReadSentence, { head, to }: Clause): string | undefined {
  for (let at = head + 1; at < to; at++) if (COPULAS.has(read.words[at] ?? "")) return bare(cutWords(read, head, at));
  return undefined;
}

/** The thing of the agent's that a sentence names, nearest to a word, with the words that belong to it; `answers` where it names none. */
export function thingNear(read: ReadSentence, at: number): string {
  const found = read.hits
    .filter(({ name, from, to }) => (name === "speech" || name === "work") && (to <= at || from > at))
    .toSorted((a, b) => Math.abs(a.from - at) - Math.abs(b.from - at) || b.to - a.to)[0];
  if (found === undefined) return "answers";
  const before = read.words[found.from - 1] ?? "";
  const from = /^(?:weekly|daily|monthly|status|handover|product|incident|weekly|bug|code|release|meeting)$/.test(
    before,
  )
    ? found.from - 1
    : found.from;
  return cutWords(read, from, found.to)
    .trim()
    .replace(/[,.!?;:]+$/, "");
}

/** Without what stands before a thing. */
export function bare(text: string): string {
  return text.trim().replace(/^(?:(?:all|of|the|your|those|these|such|any|so|with|to|on|that|a|an) )+(?=\S)/i, "");
}
