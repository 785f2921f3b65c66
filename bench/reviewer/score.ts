import { contentWords } from "../../src/apps/learning/review/corrections/content-words.ts";
import { findCorrections } from "../../src/apps/learning/review/corrections/find-corrections.ts";
import type { SaidMessage } from "../../src/apps/learning/review/corrections/said-message.ts";
import type { Finding } from "../../src/apps/learning/review/finding.ts";
import { REVIEW_THRESHOLDS } from "../../src/apps/learning/review/thresholds.ts";
import type { DirectiveType } from "../../src/base/words/contract.ts";
import type { ReviewerCase } from "./cases.ts";

/** Found and wanted, with what follows from them. `precision` is of all that was found, near-misses and wrong findings included. */
type Rates = {
  readonly found: number;
  readonly wrong: number;
  readonly missed: number;
  readonly precision: number;
  readonly recall: number;
};

/** `strict`: the right sentence with the right type. `lenient`: LESS and STOP count as one, START and MORE as one. */
export type ReviewerScore = {
  readonly cases: number;
  readonly planted: number;
  readonly strict: Rates;
  readonly lenient: Rates;
  /** The right sentence, whatever its type. */
  readonly sentence: Rates;
  /** What went wrong, case by case. */
  readonly faults: readonly {
    readonly kind: "missed" | "wrong" | "type";
    readonly text: string;
    readonly found: string;
  }[];
};

const NEAR: Readonly<Record<DirectiveType, string>> = {
  less: "down",
  stop: "down",
  start: "up",
  more: "up",
  keep: "keep",
};

/** Each case is a conversation of its own, of one user with one agent. What is less sure than `least` would not be proposed, and counts as not found. */
export function scoreReviewer(cases: readonly ReviewerCase[], least = REVIEW_THRESHOLDS.confidence): ReviewerScore {
  const faults: ReviewerScore["faults"][number][] = [];
  const tally = { strict: empty(), lenient: empty(), sentence: empty() };
  for (const [at, one] of cases.entries()) {
    const messages = messagesOf(one, at);
    const findings = findCorrections(messages, { least });
    const right =
      one.planted === null ? undefined : findings.find((finding) => isAbout(finding, one.planted?.about ?? ""));
    const text = messages.map((message) => message.text).join(" ⏎ ");
    const others = findings.filter((finding) => finding !== right);
    const wanted = one.planted?.type;
    count(tally.sentence, right !== undefined, wanted !== undefined, others.length);
    const strict = right?.type === wanted && right !== undefined;
    const lenient = right !== undefined && wanted !== undefined && NEAR[right.type] === NEAR[wanted];
    count(tally.strict, strict, wanted !== undefined, others.length + (right !== undefined && !strict ? 1 : 0));
    count(tally.lenient, lenient, wanted !== undefined, others.length + (right !== undefined && !lenient ? 1 : 0));
    if (wanted !== undefined && right === undefined) faults.push({ kind: "missed", text, found: wanted });
    if (right !== undefined && !strict) faults.push({ kind: "type", text, found: `${wanted} found as ${show(right)}` });
    for (const other of others) faults.push({ kind: "wrong", text, found: show(other) });
  }
  const planted = cases.filter((one) => one.planted !== null).length;
  const { strict, lenient, sentence } = tally;
  return {
    cases: cases.length,
    planted,
    strict: rates(strict),
    lenient: rates(lenient),
    sentence: rates(sentence),
    faults,
  };
}

/** The planted words stand in the evidence; or, where a label only paraphrases it, at least half of its words do. */
function isAbout({ evidence, text }: Finding, about: string): boolean {
  const said = `${evidence.map(({ quote }) => quote).join(" ")} ${text}`.toLowerCase();
  if (said.includes(about.toLowerCase())) return true;
  const words = [...contentWords(about)];
  const there = contentWords(said.slice(0, 2_000));
  const all = new Set([...there, ...said.split(/[^\p{L}\p{N}]+/u)]);
  return words.length > 0 && words.filter((word) => all.has(word)).length * 2 >= words.length;
}

function messagesOf(one: ReviewerCase, at: number): readonly SaidMessage[] {
  const turns = "turns" in one ? one.turns : [one.text];
  const said = turns.flatMap((turn) => {
    if (typeof turn === "string") return [turn];
    return turn.role === "agent" || turn.role === "assistant" ? [] : [turn.text];
  });
  const session = `case-${at}`;
  return said.map((text, turn) => ({
    session,
    event: `${session}-${turn}`,
    at: turn,
    text,
    user: "ann",
    agent: "helper",
    channel: "web",
    role: "user",
  }));
}

type Tally = { found: number; wrong: number; missed: number };

function empty(): Tally {
  return { found: 0, wrong: 0, missed: 0 };
}

function count(tally: Tally, right: boolean, planted: boolean, wrong: number): void {
  if (right && planted) tally.found += 1;
  else if (planted) tally.missed += 1;
  tally.wrong += wrong;
}

function rates({ found, wrong, missed }: Tally): Rates {
  const precision = found + wrong === 0 ? 1 : found / (found + wrong);
  const recall = found + missed === 0 ? 1 : found / (found + missed);
  return { found, wrong, missed, precision, recall };
}

function show({ type, text, confidence }: Finding): string {
  return `${type.toUpperCase()}: ${text} (${confidence})`;
}
