import type { Clause } from "./clauses.ts";

/** The kinds of a clause that ask for something by themselves, and those that say no to something. */
export const ASKS: ReadonlySet<string> = new Set(["do", "dont", "stop", "no", "keep", "needless", "amount"]);
export const SAYS_NO: ReadonlySet<string> = new Set(["dont", "stop", "no", "needless", "dislike", "keeps"]);
/** The ways of asking that make a clause ask for something, however it goes on. */
export const ASKED_BY: ReadonlySet<string> = new Set(["polite", "wish", "should", "told", "ensure"]);
/** The kinds of a clause that does not say by itself what is wanted. */
const BESIDE: ReadonlySet<string> = new Set(["when", "if", "nothing", "quote"]);

/** The clause that says what is wanted, with the conditions next to it. What else a sentence says stands beside it. */
export type Core = {
  readonly main: Clause;
  readonly clauses: readonly Clause[];
  readonly from: number;
  readonly to: number;
};

const NOWHERE: Clause = { from: 0, head: 0, to: 0, kind: "nothing", frames: [] };
/** How plainly a clause of a kind asks for something; 1 for those not named. */
const RANK: Readonly<Record<string, number>> = {
  ...Object.fromEntries(["dont", "stop", "no", "keep", "do", "amount"].map((kind) => [kind, 4])),
  ...Object.fromEntries(["needless", "dislike", "keeps"].map((kind) => [kind, 3])),
  ...Object.fromEntries(["you", "your", "wh", "aux"].map((kind) => [kind, 2])),
  ...Object.fromEntries(["when", "if", "quote"].map((kind) => [kind, 0])),
  nothing: -1,
};

/** The clause that asks most plainly; of equals the first. */
export function coreOf(clauses: readonly Clause[], length: number): Core {
  const rank = ({ kind, frames }: Clause): number =>
    Math.max(RANK[kind] ?? 1, frames.some((frame) => ASKED_BY.has(frame)) ? 4 : 0);
  const main = clauses.reduce((best, one) => (rank(one) > rank(best) ? one : best), clauses[0] ?? NOWHERE);
  const place = clauses.indexOf(main);
  let from = place;
  let to = place;
  while (from > 0 && BESIDE.has(clauses[from - 1]?.kind ?? "")) from -= 1;
  while (to + 1 < clauses.length && BESIDE.has(clauses[to + 1]?.kind ?? "")) to += 1;
  return {
    main,
    clauses: clauses.slice(Math.max(0, from), to + 1),
    from: clauses[from]?.from ?? 0,
    to: clauses[to]?.to ?? length,
  };
}

/** What a sentence does, by the way it begins: it asks, complains, praises, asks a question, or states. */
export function moodOf(features: ReadonlySet<string>, { main }: Core): string {
  if (features.has("asks-of-yours")) return "ask";
  if (features.has("asked:plain") || main.kind === "wh" || main.kind === "aux") return "question";
  if (ASKS.has(main.kind) || main.frames.some((frame) => ASKED_BY.has(frame))) return "ask";
  if (main.kind === "keeps" || main.kind === "dislike" || features.has("keeps") || features.has("forgets"))
    return "complaint";
  if (
    (features.has("you") || features.has("your")) &&
    (features.has("too") || features.has("too_many") || features.has("dislike") || features.has("excess"))
  )
    return "complaint";
  if (features.has("praise")) return "praise";
  return main.kind === "you" || main.kind === "your" ? "of-you" : "state";
}
