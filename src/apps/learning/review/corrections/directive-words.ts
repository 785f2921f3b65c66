import type { DirectiveType } from "../../../../base/words/contract.ts";
import { lessWords, moreWords } from "./amount-words.ts";
import { isVerb } from "./built-sentence.ts";
import { SAYS_NO } from "./core-clause.ts";
import { gerundOf, presentOf, soundText, tidyText } from "./directive-text.ts";
import type { ReadSentence } from "./sentence-features.ts";
import { bare, clauseOf, cutAfter, cutWords, hitOf, subjectOf } from "./sentence-words.ts";

/**
 * The words of the directive that a sentence asks for, as far as possible the person's own: what is to stop as a doing, what is to start as a
 * doing word. Where no form fits it is the sentence itself, without courtesies. `undefined` where that says nothing by itself.
 */
export function directiveWords(
  type: DirectiveType,
  read: ReadSentence,
  before?: ReadSentence,
): { readonly text: string; readonly before: boolean } | undefined {
  const own = soundOf(wordsOf(type, read));
  if (own !== undefined && !pointsBack(own)) return { text: own, before: false };
  const earlier = before === undefined ? undefined : soundOf(earlierWords(type, before));
  if (earlier !== undefined) return { text: earlier, before: true };
  const text = soundOf(mainWords(read));
  return text === undefined || pointsBack(text) ? undefined : { text, before: false };
}

function soundOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : soundText(tidyText(text));
}

function wordsOf(type: DirectiveType, read: ReadSentence): string | undefined {
  switch (type) {
    case "stop":
      return stopWords(read);
    case "start":
      return startWords(read);
    case "less":
      return lessWords(read);
    case "more":
      return moreWords(read);
    case "keep":
      return keepWords(read);
  }
}

/** What `don't do that again` or `keep it up` is about. */
function earlierWords(type: DirectiveType, before: ReadSentence): string | undefined {
  if (type === "keep") return keepWords(before) ?? subjectIn(before);
  if (type !== "stop") return undefined;
  const you = clauseOf(before, "you");
  const past = you === undefined ? "" : (before.words[you.head + 1] ?? "");
  const present = presentOf(past);
  return you !== undefined && present !== past ? `${gerundOf(present)}${cutAfter(before, you.head + 1)}` : undefined;
}

function stopWords(read: ReadSentence): string | undefined {
  const { words } = read;
  const alone = hitOf(read, "alone");
  if (alone !== undefined && words[alone.from] === "leave" && words[alone.to - 1] === "alone")
    return `touching ${cutWords(read, alone.from + 1, alone.to - 1)}`;
  const clause = read.clauses.find(({ kind, head, to }) => SAYS_NO.has(kind) && head < to);
  if (clause !== undefined) {
    const verb = words[clause.head] ?? "";
    const doing = isVerb(verb) && (clause.kind === "dont" || /^(?:to|you)$/.test(words[clause.head - 1] ?? ""));
    if (doing) return `${gerundOf(verb)}${cutAfter(read, clause.head)}`;
    const passive = /^(\S+(?: \S+)?) (\p{L}+ed)\b(.*)$/u.exec(cutWords(read, clause.head));
    if (clause.kind === "dislike" && passive !== null)
      return `${gerundOf(presentOf(passive[2] ?? ""))} ${passive[1]}${passive[3]}`;
    const thing = bare(cutWords(read, clause.head));
    return /^(?:it|them|that|this)\b/i.test(thing) ? subjectIn(read) : thing;
  }
  return (
    policyWords(read) ??
    earlierWords("stop", read) ??
    (hitOf(read, "stop", "dislike", "no_need") === undefined ? undefined : subjectIn(read))
  );
}

/** `nothing goes out without …`, `we don't deploy on Fridays`, `you may not …` */
function policyWords(read: ReadSentence): string | undefined {
  const { words } = read;
  const nothing = words.indexOf("nothing");
  if (nothing >= 0)
    return `anything ${gerundOf((words[nothing + 1] ?? "").replace(/(?<=o)es$|s$/, ""))}${cutAfter(read, nothing + 1)}`;
  const not = words.findIndex((word, at) => word === "not" && at > 0 && isVerb(words[at + 1] ?? ""));
  const clause = clauseOf(read, "we", "you");
  if (clause !== undefined && not > clause.head && not - clause.head <= 2)
    return `${gerundOf(words[not + 1] ?? "")}${cutAfter(read, not + 1)}`;
  return undefined;
}

/** What the first clause is said of. */
function subjectIn(read: ReadSentence): string | undefined {
  const clause = clauseOf(read, "doing", "plural", "your", "the", "it", "other", "each", "do", "amount");
  const subject = clause === undefined ? undefined : subjectOf(read, clause);
  return subject === undefined || /^(?:it|this|that|these|those)$/i.test(subject.trim()) ? undefined : subject;
}

function startWords(read: ReadSentence): string | undefined {
  const { words } = read;
  const forgets = read.hits.find(({ name, to }) => name === "forgets" && words[to - 1] === "to");
  if (forgets !== undefined) return cutWords(read, forgets.to);
  const asks = clauseOf(read, "do");
  const when = read.clauses[0];
  if (asks === undefined) {
    const always = words.indexOf("always");
    if (always >= 0 && isVerb(words[always + 1] ?? "")) return cutWords(read, always + 1);
    const wished = read.clauses.find(
      ({ frames, head }) => frames.includes("wish") && presentOf(words[head] ?? "") !== words[head],
    );
    if (wished !== undefined) return `${presentOf(words[wished.head] ?? "")}${cutAfter(read, wished.head)}`;
    const need = /^you need (?=my\b)/i.exec(read.folded.text);
    return need === null ? undefined : `get ${read.folded.cut(need[0].length)}`;
  }
  const said = cutWords(read, asks.head);
  if (when !== undefined && when.kind === "when" && when.to <= asks.from) {
    const condition = cutWords(read, when.head, when.to).replace(/[\s,]+$/, "");
    return `${tidyText(said)} ${condition.slice(0, 1).toLowerCase()}${condition.slice(1)}`;
  }
  return said;
}

function keepWords(read: ReadSentence): string | undefined {
  const { words } = read;
  const liked = hitOf(read, "like_that");
  if (liked !== undefined && liked.to < words.length) {
    const verb = words[liked.to] ?? "";
    if (words[liked.to - 1] !== "you") return bare(cutWords(read, liked.to));
    const at = /^(?:always|now|also)$/.test(verb) ? liked.to + 1 : liked.to;
    return `${gerundOf(words[at] ?? "")}${cutAfter(read, at)}`;
  }
  const on = words.findIndex((word, at) => /^(?:keep|continue|stop)$/.test(word) && /ing$/.test(words[at + 1] ?? ""));
  if (on >= 0 && !/^(?:doing|going|coming)$/.test(words[on + 1] ?? "")) {
    const doing = cutWords(read, on + 1);
    return /^\S+ (?:it|them|that|those|these)\b/i.test(doing) ? (subjectIn(read) ?? doing) : doing;
  }
  const kept = words.findIndex(
    (word, at) =>
      /^(?:keep|lose|drop|continue|with)$/.test(word) &&
      /^(?:the|your|this|that|those|these)$/.test(words[at + 1] ?? ""),
  );
  if (kept >= 0 && /^\p{L}/u.test(words[kept + 2] ?? "") && !/^(?:up|coming|way)$/.test(words[kept + 2] ?? ""))
    return bare(cutWords(read, kept + 1));
  const loved = words.findIndex((word) => /^(?:love|like|enjoy|appreciate)$/.test(word));
  if (loved >= 0 && /^\p{L}/u.test(words[loved + 1] ?? "") && !/^(?:it|that|this|a|to)$/.test(words[loved + 1] ?? ""))
    return bare(cutWords(read, loved + 1));
  return subjectIn(read);
}

/** Says nothing without what stands before it. */
function pointsBack(text: string): boolean {
  return /^(?:(?:do|doing|keep|keeping|using|like|being) )?(?:it|that|this|them|those|these|so)(?: (?:again|up|way|ever|at all|please|there|every time|anymore))*$/i.test(
    text,
  );
}

/** The sentence without what it opens with. */
function mainWords(read: ReadSentence): string {
  const clause = read.clauses[0];
  const frames = new Set(clause?.frames ?? []);
  return clause === undefined ? read.folded.cut(0) : cutWords(read, frames.size > 0 ? firstOwn(read) : clause.head);
}

/** Past courtesies, but not past the way of asking: `no emojis` keeps its `no`. */
function firstOwn(read: ReadSentence): number {
  const clause = read.clauses[0];
  return clause === undefined || SAYS_NO.has(clause.kind) ? 0 : clause.head;
}
