import { type Hit, phraseFinder, wordSet } from "./phrase-table.ts";
import { FRAMES, LEADS, NEGATIONS, NOMINALS } from "./tables/frames.ts";
import { VERBS } from "./tables/words.ts";
import { QUOTED } from "./tokens.ts";

/** How a clause begins, once courtesies and ways of asking are taken off. */
export type ClauseKind =
  | "do"
  | "dont"
  | "no"
  | "stop"
  | "needless"
  | "dislike"
  | "keeps"
  | "keep"
  | "doing"
  | "amount"
  | "too"
  | "you"
  | "your"
  | "i"
  | "we"
  | "it"
  | "there"
  | "the"
  | "my"
  | "they"
  | "wh"
  | "aux"
  | "if"
  | "when"
  | "each"
  | "quote"
  | "plural"
  | "other"
  | "nothing";

export type Clause = {
  /** From which word on it is looked at, and where what it is about begins. */
  readonly from: number;
  readonly head: number;
  readonly to: number;
  readonly kind: ClauseKind;
  /** The ways of asking that were taken off. */
  readonly frames: readonly string[];
};

const MARKS = wordSet(", | ; | : | – | — | - | ( | ) | . | ! | ?");
const JOINS = wordSet("and | but | so | then | or | because | cause");
const verbs = wordSet(VERBS);
const findOpening = phraseFinder({ lead: LEADS, ...FRAMES, dont: NEGATIONS, ...NOMINALS });
/** After these a new clause may begin without a comma. */
const OPENS = new Set(["polite", "wish", "should", "told", "dont", "no", "stop", "needless", "dislike", "ensure"]);
/** Ways of saying no, the strongest of which is how a clause begins. */
const NEGATIVE = ["dont", "stop", "no", "needless", "dislike", "keeps"] as const satisfies readonly ClauseKind[];
const MOST_CLAUSES = 8;

const KINDS: readonly (readonly [ClauseKind, ReadonlySet<string>])[] = [
  ["keep", wordSet("keep | continue | carry | stay | stick | remain")],
  ["wh", wordSet("why | what | how | who | where | which | whose | whom")],
  ["if", wordSet("if | suppose | supposing | imagine | assuming | assume | pretend")],
  [
    "when",
    wordSet(
      "when | whenever | before | after | once | while | unless | until | for | in | on | with | at | as | to | during | since | upon | by | wherever | like | from | every time",
    ),
  ],
  ["you", wordSet("you")],
  ["your", wordSet("your | yours")],
  ["i", wordSet("i")],
  ["we", wordSet("we")],
  ["it", wordSet("it | that | this | these | those")],
  ["there", wordSet("there | here")],
  ["the", wordSet("the | a | an | some | such | most | one | two | three")],
  ["my", wordSet("my | our | mine | ours")],
  [
    "they",
    wordSet(
      "he | she | they | his | her | their | people | everyone | everybody | someone | somebody | users | customers | clients | colleagues",
    ),
  ],
  ["each", wordSet("every | each | all | any | anything | everything | both | anyone | nothing | nobody")],
  [
    "amount",
    wordSet(
      "less | fewer | more | shorter | longer | smaller | simpler | briefer | clearer | friendlier | short | brief | concise | max | maximum | half | deeper | quicker | faster | only | not",
    ),
  ],
  ["too", wordSet("too | way | overly | far | so | much")],
  [
    "aux",
    wordSet(
      "do | does | did | is | are | was | were | am | has | have | had | should | shall | may | can | could | would | will | must",
    ),
  ],
];
const KIND_OF: ReadonlyMap<string, ClauseKind> = new Map(
  KINDS.toReversed().flatMap(([kind, words]) => [...words].map((word) => [word, kind] as const)),
);
/** Verbs that are also the beginning of a question. */
const ASKING = wordSet(
  "you | i | we | they | he | she | it | the | this | that | these | those | there | people | users | your | my | our | any | anyone",
);

/** A sentence, clause by clause, each with the way it begins. */
export function clausesOf(words: readonly string[]): readonly Clause[] {
  const openings = Map.groupBy(findOpening(words), ({ from }) => from);
  const starts = [0];
  for (let at = 0; at < words.length && starts.length < MOST_CLAUSES; at++) {
    const word = words[at] ?? "";
    if (MARKS.has(word)) starts.push(at + 1);
    else if (JOINS.has(word) && at > 0 && opensClause(openings.get(at + 1), words, at + 1)) starts.push(at + 1);
  }
  return starts.flatMap((from, place) => {
    const to = starts[place + 1] ?? words.length;
    const clause = openClause(words, openings, from, to);
    return clause.kind === "nothing" && starts.length > 1 ? [] : [clause];
  });
}

function opensClause(hits: readonly Hit[] | undefined, words: readonly string[], at: number): boolean {
  return words[at] === "please" || words[at] === "always" || (hits ?? []).some(({ name }) => OPENS.has(name));
}

function openClause(
  words: readonly string[],
  openings: ReadonlyMap<number, readonly Hit[]>,
  from: number,
  to: number,
): Clause {
  const frames: string[] = [];
  let head = from;
  let negative: ClauseKind | undefined;
  while (head < to) {
    const taken = openingAt(words, openings.get(head) ?? [], to);
    // Who does not want something to stop wants it: that is read as it stands.
    if (taken === undefined || (negative !== undefined && taken.name === "stop")) break;
    negative ??= NEGATIVE.find((kind) => kind === taken.name);
    if (taken.name !== "lead") frames.push(taken.name);
    head = taken.to;
  }
  return { from, head, to, kind: negative ?? kindAt(words, head, to), frames };
}

/** The longest phrase here that opens something, where it does: `no` before a comma is a courtesy, `start` opens only a doing. */
function openingAt(words: readonly string[], hits: readonly Hit[], to: number): Hit | undefined {
  const longest = hits
    .filter((hit) => hit.to <= to && !(hit.name === "ensure" && words[hit.to] === "not"))
    .toSorted((a, b) => b.to - a.to)[0];
  if (longest === undefined || longest.to - longest.from > 1) return longest;
  const word = words[longest.from] ?? "";
  const next = longest.to < to ? (words[longest.to] ?? "") : "";
  if (word === "no") return next === "" || MARKS.has(next) ? { ...longest, name: "lead" } : { ...longest, name: "no" };
  return longest.name === "ensure" && !opensThing(next, word) ? undefined : longest;
}

/** `start including …`, `do check …`; not `start the server`, `do you …`. */
function opensThing(next: string, verb: string): boolean {
  return verb === "do" || verb === "ensure" ? verbs.has(next) && !ASKING.has(next) : /ing$/.test(next);
}

function kindAt(words: readonly string[], at: number, to: number): ClauseKind {
  const word = at < to ? (words[at] ?? "") : "";
  if (word === "" || MARKS.has(word)) return "nothing";
  if (word === QUOTED) return "quote";
  const next = words[at + 1] ?? "";
  const known = KIND_OF.get(word);
  if (known === "aux") return verbs.has(word) && !ASKING.has(next) && (word === "do" || word === "have") ? "do" : "aux";
  if (known !== undefined) return known;
  if (verbs.has(word) && !(next.length > 5 && next.endsWith("ing")) && !/^(?:is|are|was|were|has)$/.test(next))
    return "do";
  if (word.length > 5 && word.endsWith("ing")) return "doing";
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return "plural";
  return "other";
}
