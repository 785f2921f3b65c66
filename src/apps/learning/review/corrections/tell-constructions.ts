import { type Constructions, isMoment, isThirdPerson } from "./built-sentence.ts";
import { ASKS } from "./core-clause.ts";
import { wordSet } from "./phrase-table.ts";
import { QUOTED } from "./tokens.ts";

/** Before `never` these are no subject of their own. */
const NO_SUBJECT = wordSet(
  "please | you | should | must | to | and | so | but | also | then | or | , | : | ; | - | – | —",
);
const PAST =
  /^(?:\p{L}+ed|sent|wrote|made|did|were|had|got|said|told|gave|took|ran|put|left|saw|went|broke|lost|forgot)$/u;
/** Ways of telling how things are: of rules, of oneself, of others, of what was good. */
export const TELL_CONSTRUCTIONS: Constructions = {
  // `i always …`, `Jonas never …`
  "somebody-ever": ({ words }) =>
    words.some(
      (word, at) =>
        /^(?:never|always)$/.test(word) &&
        at > 0 &&
        !NO_SUBJECT.has(words[at - 1] ?? "") &&
        !/^(?:for|in|with|on|is|are|be)$/.test(words[0] ?? ""),
    ),
  // `you sent the wrong file`
  "you-did": ({ words, clauses, has }) =>
    clauses.some(({ head }) => words[head] === "you" && PAST.test(words[head + 1] ?? "")) && !has("again"),
  // `New code needs tests`, `every change goes …`
  "must-be": ({ words, clauses, has }) =>
    clauses.some(
      ({ kind, head, to }) =>
        /^(?:each|plural|other|doing)$/.test(kind) && has("should", head + 1, to) && !isThirdPerson(words, head),
    ),
  // `images need alt text`
  "things-need": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head, to }) =>
        /^(?:each|plural|other|doing)$/.test(kind) &&
        words.slice(head + 1, Math.min(to, head + 5)).some((word) => /^(?:need|needs)$/.test(word)),
    ),
  // `Tom always runs`, `my boss wants`, `she said`
  "of-somebody": ({ words, clauses }) =>
    clauses.some(
      ({ kind, head }) =>
        kind === "they" ||
        (kind === "my" &&
          !/^(?:name|pronouns|texts?|preference|calendar|time|drafts?|files?|mails?|eyes)$/.test(
            words[head + 1] ?? "",
          )) ||
        (kind === "other" && isThirdPerson(words, head)),
    ),
  "of-the-thing": ({ words, clauses, has }) =>
    ["the", "it", "there"].includes(clauses[0]?.kind ?? "") &&
    !has("speech") &&
    !has("too") &&
    !words.includes("you") &&
    !words.includes("your"),
  // `I stopped`, `we use`
  "of-myself": ({ clauses }) =>
    /^(?:i|we)$/.test(clauses[0]?.kind ?? "") &&
    !clauses.some((clause) => ASKS.has(clause.kind) || clause.frames.length > 0),
  // `I love the summaries, keep doing that`
  "praises-and-keeps": ({ says }) => says("praise") && says("keep"),
  "likes-what-you-do": ({ says }) => says("like_that") && (says("you") || says("your") || says("speech")),
  "praise-alone": ({ words, says }) => says("praise") && !says("keep") && words.length < 9,
  // `tables instead of lists`, `metric, not imperial`
  "this-not-that": ({ words, has }) =>
    (has("instead") || words.some((word, at) => word === "," && words[at + 1] === "not")) &&
    !words.includes("the") &&
    !has("pointed"),
  "only-quoted": ({ words }) => words.filter((word) => /^\p{L}/u.test(word)).length < 4 && words.includes(QUOTED),
  // `call me when it's done`
  "when-done": ({ words }) =>
    words.some(
      (word, at) => /^(?:when|once|after|until|if|while)$/.test(word) && isMoment(words.slice(at + 1, at + 4)),
    ),
};
