import { asks, type Constructions, isDoing, isMany, isMoment, isOne, isVerb, lasts } from "./built-sentence.ts";
import { SAYS_NO } from "./core-clause.ts";
import { wordSet } from "./phrase-table.ts";

/** Before `never` these are no subject of their own. */
const NO_SUBJECT = wordSet(
  "please | you | should | must | to | and | so | but | also | then | or | , | : | ; | - | – | —",
);
const OPEN_ENDED = wordSet(
  "you | any | each | every | a | an | anything | something | making | i | there | in | unsure | it",
);

/** Ways of asking for something: what is to last, and what is a task. */
export const ASK_CONSTRUCTIONS: Constructions = {
  // `never use …`, `for mockups always …`
  "ever-do": ({ words, clauses }) =>
    clauses.some(({ from, to }) => {
      for (let at = from; at < to; at++) {
        if (!/^(?:never|always|ever)$/.test(words[at] ?? "")) continue;
        const before = words[at - 1] ?? ",";
        const opens =
          at === from || NO_SUBJECT.has(before) || /^(?:for|in|with|on|when|to|at)$/.test(words[from] ?? "");
        if (opens && (isVerb(words[at + 1]) || /^(?:ever|again|to|a|the|any|in|with)$/.test(words[at + 1] ?? "")))
          return true;
      }
      return false;
    }),
  // `ask me before you …`, `when you quote a book, give …`
  "asks-each-time": ({ words, clauses }) =>
    asks(clauses) &&
    words.some(
      (word, at) =>
        /^(?:before|when|whenever|while|after|once|if|unless|time)$/.test(word) &&
        OPEN_ENDED.has(words[at + 1] ?? "") &&
        !isMoment(words.slice(at + 1, at + 4)),
    ),
  "asks-before-doing": ({ words, clauses }) =>
    asks(clauses) &&
    words.some(
      (word, at) =>
        /^(?:before|prior|after|when|without)$/.test(word) && (isDoing(words[at + 1]) || isDoing(words[at + 2])),
    ),
  // `in every commit`, `to all new functions`
  "asks-in-each": ({ words, clauses }) =>
    asks(clauses) &&
    words.some(
      (word, at) =>
        /^(?:in|on|to|for|with|of|at|after|before|by|per)$/.test(word) &&
        /^(?:every|each|all|any|everything|anything)$/.test(words[at + 1] ?? ""),
    ),
  "asks-lasting": ({ clauses, has }) => asks(clauses) && lasts(has),
  // `use it`, `send the report to Dana`
  "does-one": ({ words, clauses, has }) =>
    !lasts(has) &&
    clauses.some(
      ({ kind, head, to }) =>
        kind === "do" &&
        isOne(words, head + 1) &&
        !has("habitual", head + 1, head + 4) &&
        !has("speech", head + 1, Math.min(to, head + 4)),
    ),
  "does-pronoun": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head, to }) =>
        kind === "do" &&
        /^(?:it|this|that|them|him|her)$/.test(words[head + 1] ?? "") &&
        (head + 2 >= to || !/^(?:in|as|with|always)$/.test(words[head + 2] ?? "")),
    ),
  // `use metric units`, `dates in ISO format`
  "names-a-way": ({ clauses, has }) =>
    (has("style") || has("how")) && !has("pointed") && (asks(clauses) || clauses.length <= 2),
  // `I want every report in …`
  "wants-a-thing": ({ words, clauses, has }) =>
    clauses.some(
      ({ frames, head, to }) =>
        frames.includes("wish") &&
        head < to &&
        !isVerb(words[head]) &&
        (has("speech", head, to) ||
          has("style", head, to) ||
          has("each", head, to) ||
          has("less", head, to) ||
          has("more", head, to)),
    ),
  "wants-you-to": ({ words, clauses }) =>
    clauses.some(
      ({ frames, head }) => frames.includes("wish") && /^(?:you|to|would|could)$/.test(words[head - 1] ?? ""),
    ),
  // `can your summaries be shorter?`
  "asks-of-yours": ({ words }) =>
    words.some(
      (word, at) =>
        /^(?:can|could|would|should|may)$/.test(word) &&
        words[at + 1] === "your" &&
        words.slice(at + 2, at + 6).includes("be"),
    ),
  // `can you write shorter emails?`
  "politely-less": ({ clauses, has }) =>
    clauses.some(
      ({ frames, kind }) =>
        frames.includes("polite") &&
        (SAYS_NO.has(kind) ||
          lasts(has) ||
          ["less", "brief", "reduce", "more_often", "more_brief", "stop"].some((name) => has(name))),
    ),
  // `be more thorough`, `sound warmer`
  "be-more": ({ words, has }) =>
    words.some(
      (word, at) =>
        /^(?:be|sound|act|stay|being)$/.test(word) &&
        (has("more", at + 1, at + 5) ||
          has("less", at + 1, at + 5) ||
          has("more_often", at + 1, at + 5) ||
          has("more_brief", at + 1, at + 5)),
    ),
  // `archive mails once they are answered`, `confirm every booking`
  "does-many": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head, to }) =>
        kind === "do" &&
        (/^(?:every|each|all)$/.test(words[head + 1] ?? "") || isMany(words, head + 1, Math.min(to, head + 4))),
    ),
  // `give me more options`
  "gives-me-more": ({ words, clauses, has }) =>
    !lasts(has) &&
    clauses.some(
      ({ kind, head }) =>
        kind === "do" &&
        /^(?:give|show|tell|explain|send|write|add|get|find|ask)$/.test(words[head] ?? "") &&
        has("more", head + 1, head + 4),
    ),
  // `could you explain why …`
  "asks-for-words": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head }) =>
        kind === "do" &&
        /^(?:explain|tell|say|show|describe|check|see|find)$/.test(words[head] ?? "") &&
        words.slice(head + 1, head + 4).some((word) => /^(?:why|how|what|whether|which|who)$/.test(word)),
    ),
};
