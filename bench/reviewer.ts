import { existsSync } from "node:fs";
import { findCorrections } from "../src/apps/learning/review/corrections/find-corrections.ts";
import type { SaidMessage } from "../src/apps/learning/review/corrections/said-message.ts";
import { REVIEW_THRESHOLDS } from "../src/apps/learning/review/thresholds.ts";
import { type Benchmark, main, type Report } from "./report.ts";
import { BLIND_CORRECTIONS, BLIND_MISSES } from "./reviewer-blind.ts";
import type { ReviewerCase } from "./reviewer-cases.ts";
import { DEV_CORRECTIONS, DEV_MISSES } from "./reviewer-dev.ts";
import { EIGHTH_CORRECTIONS, EIGHTH_MISSES } from "./reviewer-dev-eighth.ts";
import { FIFTH_CORRECTIONS, FIFTH_MISSES } from "./reviewer-dev-fifth.ts";
import { FOURTH_CORRECTIONS, FOURTH_MISSES } from "./reviewer-dev-fourth.ts";
import { MORE_CORRECTIONS, MORE_MISSES } from "./reviewer-dev-more.ts";
import { SEVENTH_CORRECTIONS, SEVENTH_MISSES } from "./reviewer-dev-seventh.ts";
import { SIXTH_CORRECTIONS, SIXTH_MISSES } from "./reviewer-dev-sixth.ts";
import { THIRD_CORRECTIONS, THIRD_MISSES } from "./reviewer-dev-third.ts";
import { HELD_OUT_CORRECTIONS } from "./reviewer-heldout.ts";
import { HELD_OUT_MISSES } from "./reviewer-heldout-misses.ts";
import { type ReviewerScore, scoreReviewer } from "./reviewer-score.ts";
import { conversations } from "./reviewer-talk.ts";
import { table } from "./show.ts";
import { quantile } from "./statistics.ts";

const EACH = 200;
const MESSAGES = 10_000;
const SEED = 20_250_211;
const PROMISED = 0.9;
/** What `findCorrections` tells at all. */
const ALL = 0.5;

export const reviewer: Benchmark = {
  name: "reviewer",
  about: [
    `Corrections planted in ${EACH} generated conversations and ${EACH} near-misses (questions, quotes, praise, code, tasks), found by the deterministic reviewer.`,
    "Held out: phrases that were written before the reviewer and never used to write it. Development: those that it was written with.",
    "Blind 1: written by somebody who had not read the reviewer; development since. Blind 2: the same, where bench/reviewer-blind-2.ts is there.",
    `What is less sure than ${REVIEW_THRESHOLDS.confidence} is not proposed: it counts as not found, but in the rows that say so.`,
    "Found: a finding with the right sentence and the right type. Lenient: LESS and STOP are one, START and MORE are one. Precision is of all findings.",
    `Time: ${MESSAGES} messages of such conversations at once.`,
  ],
  run,
};

async function run(report: Report): Promise<void> {
  const heldOut = [
    ...conversations(HELD_OUT_CORRECTIONS, EACH, SEED),
    ...conversations(HELD_OUT_MISSES, EACH, SEED + 1),
  ];
  const planted = [...DEV_CORRECTIONS, ...MORE_CORRECTIONS, ...THIRD_CORRECTIONS];
  const misses = [...DEV_MISSES, ...MORE_MISSES, ...THIRD_MISSES];
  const held = scoreReviewer(heldOut);
  const blind = [...BLIND_CORRECTIONS, ...BLIND_MISSES];
  const newer = await blind2();
  const everyday = [...EVERYDAY, ...EVERYDAY_MISSES];
  report.say(
    `\n${scores([
      ["held out", held],
      [`held out, all of ${ALL} or more`, scoreReviewer(heldOut, ALL)],
      ["blind 1", scoreReviewer(blind)],
      ...(newer === undefined ? [] : ([["blind 2", scoreReviewer(newer)]] as const)),
      ["development, lots 1 to 3", scoreReviewer([...planted, ...misses])],
      ["development, lots 4 to 8", scoreReviewer(everyday)],
    ])}`,
  );
  report.say(`\n${byKind(heldOut)}`);
  const { precision, recall } = held.strict;
  report.figures("held out", [
    { name: "precision, strict", value: precision, unit: "ratio" },
    { name: "recall, strict", value: recall, unit: "ratio" },
    { name: "precision, lenient", value: held.lenient.precision, unit: "ratio" },
    { name: "recall, lenient", value: held.lenient.recall, unit: "ratio" },
  ]);
  report.budget(`issue 8: 1 - precision, held out (${PROMISED} or better)`, 1 - PROMISED, 1 - precision, "ratio");
  report.budget(`issue 8: 1 - recall, held out (${PROMISED} or better)`, 1 - PROMISED, 1 - recall, "ratio");
  time(report, [...planted, ...misses]);
}

const EVERYDAY = [
  ...FOURTH_CORRECTIONS,
  ...FIFTH_CORRECTIONS,
  ...SIXTH_CORRECTIONS,
  ...SEVENTH_CORRECTIONS,
  ...EIGHTH_CORRECTIONS,
];
const EVERYDAY_MISSES = [...FOURTH_MISSES, ...FIFTH_MISSES, ...SIXTH_MISSES, ...SEVENTH_MISSES, ...EIGHTH_MISSES];

/** A set that somebody else may have put there: `BLIND_2_CORRECTIONS` and `BLIND_2_MISSES`. */
async function blind2(): Promise<readonly ReviewerCase[] | undefined> {
  const file = new URL("./reviewer-blind-2.ts", import.meta.url);
  if (!existsSync(file)) return undefined;
  const { BLIND_2_CORRECTIONS: planted, BLIND_2_MISSES: misses } = (await import(file.href)) as {
    readonly BLIND_2_CORRECTIONS: readonly ReviewerCase[];
    readonly BLIND_2_MISSES: readonly ReviewerCase[];
  };
  return [...planted, ...misses];
}

function time(report: Report, cases: readonly ReviewerCase[]): void {
  const messages = messagesOf(conversations(cases, MESSAGES / 4, SEED)).slice(0, MESSAGES);
  const rounds = report.quick ? 3 : 15;
  const wall: number[] = [];
  const cpu: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const used = process.cpuUsage();
    const started = performance.now();
    findCorrections(messages);
    if (round < 0) continue;
    wall.push((performance.now() - started) * 1_000);
    cpu.push(process.cpuUsage(used).user);
  }
  report.figures(`${messages.length} messages`, [
    { name: "time, median", value: quantile(wall, 0.5), unit: "time" },
    { name: "processor time, median", value: quantile(cpu, 0.5), unit: "time" },
    { name: "processor time, least", value: Math.min(...cpu), unit: "time" },
  ]);
  report.budget("10,000 messages, processor time", 1_000_000, quantile(cpu, 0.5), "time");
}

function messagesOf(cases: readonly ReviewerCase[]): readonly SaidMessage[] {
  return cases.flatMap((one, at) =>
    ("turns" in one ? one.turns : [one.text]).map((turn, place): SaidMessage => {
      const text = typeof turn === "string" ? turn : turn.text;
      const session = `s${at}`;
      return {
        session,
        event: `${session}-${place}`,
        at: at * 100 + place,
        text,
        user: `u${at % 40}`,
        agent: "helper",
        role: "user",
      };
    }),
  );
}

function scores(rows: readonly (readonly [string, ReviewerScore])[]): string {
  const head = [
    "",
    "planted",
    "near-misses",
    "strict: precision",
    "recall",
    "lenient: precision",
    "recall",
    "sentence: precision",
    "recall",
  ];
  const lines = rows.map(([name, { cases, planted, strict, lenient, sentence }]) => [
    name,
    `${planted}`,
    `${cases - planted}`,
    ...[strict, lenient, sentence].flatMap((rates) => [share(rates.precision), share(rates.recall)]),
  ]);
  return table(head, lines);
}

/** How many cases of each kind gave what they should. */
function byKind(cases: readonly ReviewerCase[]): string {
  const groups = Map.groupBy(cases, ({ kind, planted }) => planted?.type ?? kind ?? "near-miss");
  const rows = [...groups].map(([kind, group]) => {
    const score = scoreReviewer(group);
    const right =
      group[0]?.planted === null
        ? group.length - new Set(score.faults.map(({ text }) => text)).size
        : score.strict.found;
    return [group[0]?.planted === null ? `near-miss: ${kind}` : kind.toUpperCase(), `${right} of ${group.length}`];
  });
  return table(["held out, by kind", "as it should be"], rows);
}

function share(value: number): string {
  return value.toFixed(3);
}

if (import.meta.main) await main(reviewer);
