import type { ReviewerCase } from "./cases.ts";

/** Turns that stand around a case: tasks, questions and thanks of everyday work, none of which asks for a habit. */
const TURNS: readonly string[] = [
  "can you look at the failing build?",
  "the login page gives a 500 since this morning",
  "ok, and what does the trace say",
  "rename UserRepo to UserStore please",
  "thanks!",
  "yes, go ahead",
  "which of the two is faster?",
  "add a test for the empty list",
  "the customer is called Brandt, order 4711",
  "no, the other branch",
  "push it and open a pull request",
  "how long will that take?",
  "I pasted the log into the ticket",
  "try the second option first",
  "what changed between 2.3 and 2.4?",
  "looks good to me",
  "book the train for Tuesday, the one at 8:14",
  "translate the last paragraph into Dutch",
  "hm, that does not compile here",
  "write a short note to Ines that we are late",
  "did the import finish?",
  "delete the temp folder",
  "I will be back in an hour",
  "show me the query plan",
  "the invoice from May is missing",
];

/** A stream of numbers that is the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What people do to a sentence without changing what it says. */
const VOICES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text.toLowerCase(),
  (text) => `ok thanks. ${text}`,
  (text) => (text.includes("\n") ? text : `${text.replace(/(?<=[\p{L}\p{N}])$/u, ".")} And how is the import going?`),
];

/** So many conversations, each with one of the cases somewhere among other turns; every case comes before one comes again. */
export function conversations(cases: readonly ReviewerCase[], count: number, seed: number): readonly ReviewerCase[] {
  const next = numbers(seed);
  const order = cases.map((one) => ({ one, place: next() })).sort((a, b) => a.place - b.place);
  return Array.from({ length: count }, (_, at) => {
    const one = order[at % order.length]?.one;
    if (one === undefined) throw new Error("there are no cases");
    const own = "turns" in one ? one.turns : [pick(VOICES, next())(one.text)];
    const around = Array.from({ length: 2 + Math.floor(next() * 6) }, () => pick(TURNS, next()));
    const place = Math.floor(next() * (around.length + 1));
    const turns = [...around.slice(0, place), ...own, ...around.slice(place)];
    return { turns, planted: one.planted, ...(one.kind === undefined ? {} : { kind: one.kind }) };
  });
}

function pick<T>(values: readonly T[], share: number): T {
  const value = values[Math.floor(share * values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}
