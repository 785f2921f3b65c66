import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureAdherence } from "../src/apps/learning/adherence/measure-adherence.ts";
import { openReview } from "../src/apps/learning/open-review.ts";
import { directly, runReview } from "../src/apps/learning/review/steps.ts";
import type { EventJournal } from "../src/base/ports/stores/event-journal.ts";
import { characterCounter } from "../src/behavior/results/token-counter.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import { ContractService } from "../src/engine/governance/contract-service.ts";
import { CALLS, fillStore, playSessions } from "./replay-store.ts";
import { type Benchmark, main, progress, type Report } from "./report.ts";

const SESSIONS = 2_000;
const QUICK_SESSIONS = 200;
const PAGE = 1_000;
/** A time after all sessions. */
const MORNING = Date.UTC(2026, 10, 9, 8, 15);

const DIRECTIVES = [
  { type: "less", text: "words", check: "length: at most 20 words" },
  { type: "stop", text: "apologising", check: 'reply: not matches(reply, "sorry")' },
  { type: "start", text: "running the tests before a commit", check: "order: shell before edit_file" },
] as const;

export const review: Benchmark = {
  name: "review",
  about: [
    `The daily review of sessions of ${CALLS} calls in SQLite: the deterministic reviewer on everything that was said and decided, and the`,
    "adherence of three directives, each with a check. What it is held against is reading the same events once, and nothing else.",
  ],
  run,
};

async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "conduct-bench-review-"));
  const place = { kind: "sqlite", file: join(folder, "conduct.db") } as const;
  const store = await openSqlStore(place);
  try {
    const sessions = report.quick ? QUICK_SESSIONS : SESSIONS;
    const clock = { now: () => MORNING, monotonic: () => performance.now() };
    let made = 0;
    const ids = { next: (prefix: string) => `${prefix}_${(++made).toString(36)}` };
    const { events, governance } = store;
    const contracts = new ContractService({ journal: governance, clock, ids, counter: async () => characterCounter });
    for (const directive of DIRECTIVES) await contracts.change({ kind: "add", ...directive }, "bench");
    const played = await playSessions(folder, governance);
    const kept = await fillStore(store, place.file, played, sessions, progress("filling the store"));
    const upTo = await events.head();
    const reading = await timed(() => readThrough(events, upTo));
    const adherence = await timed(() => measureAdherence({ events, contracts }, { after: 0, upTo }));
    const whole = await timed(() => runReview(openReview({ events, governance, contracts, clock }), MORNING, directly));
    const { value: record } = whole;
    if (record === "nothing") throw new Error("there was nothing to look at");
    const judged = adherence.value.reduce((sum, { followed, violated }) => sum + followed + violated, 0);
    if (judged === 0) throw new Error("no check has told anything");
    report.figures(`${sessions} sessions`, [
      { name: "events", value: kept, unit: "count" },
      { name: "read once, each by each", value: reading.micros, unit: "time" },
      { name: "adherence measured", value: adherence.micros, unit: "time" },
      { name: "adherence / reading", value: adherence.micros / reading.micros, unit: "ratio" },
      { name: "turns that a check told of", value: judged, unit: "count" },
      { name: "the whole review, adherence included", value: whole.micros, unit: "time" },
      { name: "the whole review / reading", value: whole.micros / reading.micros, unit: "ratio" },
      { name: "messages looked at", value: record.messages, unit: "count" },
      { name: "decisions looked at", value: record.decisions, unit: "count" },
      { name: "candidates proposed", value: record.proposed.length, unit: "count" },
    ]);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readThrough(events: EventJournal, upTo: number): Promise<number> {
  let [after, read] = [0, 0];
  while (after < upTo) {
    const page = await events.follow({ after, limit: PAGE });
    after = page.at(-1)?.position ?? upTo;
    read += page.length;
  }
  return read;
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly micros: number }> {
  const started = performance.now();
  return { value: await work(), micros: (performance.now() - started) * 1_000 };
}

if (import.meta.main) await main(review);
