import { type Constructions, isDoing, isMany, isVerb, lasts } from "./built-sentence.ts";
import { SAYS_NO } from "./core-clause.ts";

/** Ways of saying that something is too much, or not wanted. */
export const NO_CONSTRUCTIONS: Constructions = {
  // `stop sending …`, `you keep adding …`, `no need to ask`
  "says-no-to-doing": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head, to }) =>
        SAYS_NO.has(kind) &&
        kind !== "dont" &&
        head < to &&
        (isDoing(words[head]) || (isVerb(words[head]) && /^(?:to|you)$/.test(words[head - 1] ?? ""))),
    ),
  // `no more disclaimers`, `drop the patronising tone`
  "says-no-to-talk": ({ clauses, has }) =>
    clauses.some(({ kind, head, to }) => SAYS_NO.has(kind) && has("speech", head, Math.min(to, head + 5))),
  // `no nested lists`, `avoid contractions`
  "says-no-to-many": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head, to }) => SAYS_NO.has(kind) && kind !== "dont" && isMany(words, head, Math.min(to, head + 4)),
    ),
  // `don't book flights`
  "dont-many": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head, to }) => kind === "dont" && head < to && isMany(words, head + 1, Math.min(to, head + 4)),
    ),
  // `stop the server`
  "says-no-to-one": ({ words, clauses, has }) =>
    !lasts(has) &&
    clauses.some(
      ({ kind, head, to }) =>
        SAYS_NO.has(kind) &&
        /^(?:the|this|that|it|these|those)$/.test(words[kind === "dont" ? head + 1 : head] ?? "") &&
        !has("speech", head, Math.min(to, head + 5)) &&
        !has("habitual", head, head + 4),
    ),
  // `nothing goes out without …`, `no price quotes unless …`
  "nothing-without": ({ words }) =>
    words.some(
      (word, at) =>
        /^(?:nothing|nobody|no|not|never)$/.test(word) &&
        words.slice(at + 1).some((later) => /^(?:without|unless|until)$/.test(later)),
    ),
  "stop-so-much": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head, to }) =>
        SAYS_NO.has(kind) &&
        words
          .slice(head, to)
          .some(
            (word, at, all) =>
              word === "so" || word === "too" || (word === "that" && /^(?:much|many)$/.test(all[at + 1] ?? "")),
          ),
    ),
  // `don't stop`, `I don't want you to stop`
  "no-stop": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head }) => SAYS_NO.has(kind) && kind !== "stop" && /^(?:stop|lose|change|drop)$/.test(words[head] ?? ""),
    ),
  "no-stop-doing": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head }) =>
        SAYS_NO.has(kind) &&
        kind !== "stop" &&
        /^(?:stop|lose|drop)$/.test(words[head] ?? "") &&
        (isDoing(words[head + 1]) || /^(?:the|them|your|that|those)$/.test(words[head + 1] ?? "")),
    ),
  // `go easy on the emojis`, `too many disclaimers`
  "less-talk": ({ hits }) =>
    hits.some(
      ({ name, to }) =>
        (name === "reduce" || name === "too_many" || name === "less") &&
        hits.some((other) => other.name === "speech" && other.from >= to && other.from <= to + 3),
    ),
  // `that was too long`
  "that-was-too": ({ words, clauses, has }) =>
    clauses.some(
      ({ kind, head, to }) =>
        kind === "it" && /^(?:is|was)$/.test(words[head + 1] ?? "") && has("too", head, to) && has("excess", head, to),
    ),
  // `more complicated than they need to be`
  "more-than-needed": ({ words }) =>
    words.some(
      (word, at) =>
        word === "than" && /^(?:necessary|needed|required|they|it|i|anyone|anybody|you)$/.test(words[at + 1] ?? ""),
    ),
  // `two lines are enough`
  "is-enough": ({ has }) => has("bound") && !has("pointed"),
  // `keep your answers short`, `be brief`
  "keeps-it-short": ({ words, has }) =>
    (has("brief") || has("less") || has("bound")) && words.some((word) => /^(?:keep|be|make|stay|get)$/.test(word)),
  // `your reports should`, `your texts are too …`
  "your-thing-should": ({ words, clauses, has }) =>
    clauses.some(
      ({ head, to }) =>
        words[head] === "your" &&
        (has("should", head, to) ||
          has("too", head, to) ||
          has("less", head, to) ||
          has("more", head, to) ||
          has("excess", head, to) ||
          has("little", head, to)),
    ),
  "you-are-too": ({ words, clauses, has }) =>
    clauses.some(
      ({ head, to }) =>
        words[head] === "you" && (has("too", head, to) || has("too_many", head, to) || has("excess", head, to)),
    ),
  // `you keep forgetting to`
  "you-forget": ({ words, has }) =>
    has("forgets") && (has("again") || has("keeps") || has("always") || words.includes("to")),
};
