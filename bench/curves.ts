import { adherenceSince } from "../src/apps/learning/adherence/measure-adherence.ts";
import { characterCounter } from "../src/behavior/results/token-counter.ts";
import { nodeIds } from "../src/edge/host/node/node-ids.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import { ContractService } from "../src/engine/governance/contract-service.ts";
import type { CurveLine } from "./chart.ts";
import { fullStore } from "./full-store.ts";
import { type Benchmark, main, progress, type Report } from "./report.ts";
import { ruleSet, sideWith } from "./rules.ts";
import { quantile } from "./statistics.ts";
import { benchAgent, Driver, instantFilesystem } from "./workload.ts";

export const curves: Benchmark = {
  name: "curves",
  about: [
    "How times grow: a call with the length of its session (10 policies, 10 providers, nothing journaled), a decision with the number of rules",
    "(10 of them on the called tool), and the console's reads with the number of stored sessions. Each size is measured in turns with the others.",
  ],
  run,
};

const ROUNDS = 20;
const READS = 20;
const MONTH = 30 * 86_400_000;

async function run(report: Report): Promise<void> {
  await callCurve(report);
  await ruleCurve(report);
  await sessionCurve(report);
}

async function callCurve(report: Report): Promise<void> {
  const sizes = report.quick ? [100, 1_000, 10_000] : [100, 1_000, 10_000, 100_000];
  const conduct = openConductFromEnv({
    agents: [benchAgent()],
    workspace: "/w",
    journal: false,
    ports: { filesystem: instantFilesystem },
  });
  const grown = async (calls: number) => {
    const tick = progress(`a session of ${calls} calls`);
    return new Driver(conduct.session({ agent: "bench" })).upTo(calls, (done) => tick(done, calls));
  };
  const long = new Map<number, Driver>();
  for (const calls of sizes) long.set(calls, await grown(calls));
  const lines = await inTurns(sizes, async (calls, times) => {
    // A short session is a new one each time, because measuring makes it longer.
    const driver = calls > 1_000 ? long.get(calls) : await grown(calls);
    for (let made = 0; made < 50; made++) {
      await driver?.between();
      times.push(await micros(() => driver?.call()));
    }
  });
  report.curve({ name: "onCall + onResult, by the calls that the session has made", of: "calls", unit: "time", lines });
}

async function ruleCurve(report: Report): Promise<void> {
  const sizes = [10, 100, 1_000];
  const sides = new Map<number, () => unknown>();
  for (const count of sizes) sides.set(count, await sideWith(ruleSet(count), 200));
  const lines = await inTurns(sizes, async (count, times) => {
    const decide = sides.get(count);
    for (let made = 0; made < 500; made++) times.push(await micros(() => decide?.()));
  });
  report.curve({ name: "A decision, by the number of rules", of: "rules", unit: "time", lines });
}

async function sessionCurve(report: Report): Promise<void> {
  const sizes = report.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
  const lines = new Map<string, { size: number; value: number }[]>();
  for (const size of sizes) {
    const { reads, close } = await openReads(size);
    for (const [name, read] of reads) {
      const times: number[] = [];
      for (let at = 0; at < READS; at++) times.push(await micros(read));
      lines.set(name, [...(lines.get(name) ?? []), { size, value: quantile(times, 0.5) }]);
    }
    await close();
  }
  report.curve({
    name: "Reads of the console, p50, by the number of stored sessions",
    of: "sessions",
    unit: "time",
    lines: [...lines].map(([name, points]) => ({ name, points })),
  });
}

/** The reads behind the console's pages, after their projections have caught up. */
async function openReads(sessions: number) {
  const { file, now } = await fullStore(sessions, progress(`filling a store with ${sessions} sessions`));
  const store = await openSqlStore({ kind: "sqlite", file });
  const { events, adherence } = store;
  const governance = { ...store.governance, witness: undefined };
  const clock = { now: () => now, monotonic: () => performance.now() };
  const counter = async () => characterCounter;
  const contracts = new ContractService({ journal: governance, clock, ids: nodeIds(), counter });
  const since = now - MONTH;
  const reads = [
    ["adherence", () => adherenceSince({ events, adherence, governance, contracts }, since)],
    ["newest sessions", () => events.sessions({ limit: 20 })],
    ["figures of 30 days", () => events.figures({ by: "day", since, until: now })],
    ["sessions by words", () => events.sessions({ limit: 20, text: "mend point 7" })],
  ] as const;
  for (const [, read] of reads) await read();
  return { reads, close: () => store.close() };
}

/** Measures the sizes in turns, so that load on the machine affects all of them. */
async function inTurns(
  sizes: readonly number[],
  measure: (size: number, times: number[]) => Promise<void>,
): Promise<readonly CurveLine[]> {
  const all = new Map(sizes.map((size) => [size, [] as number[]]));
  for (let round = -1; round < ROUNDS; round++)
    for (const [size, times] of all) await measure(size, round < 0 ? [] : times);
  return [0.5, 0.99].map((share) => ({
    name: share === 0.5 ? "p50" : "p99",
    points: [...all].map(([size, times]) => ({ size, value: quantile(times, share) })),
  }));
}

async function micros(work: () => unknown): Promise<number> {
  const began = performance.now();
  const done = work();
  if (done instanceof Promise) await done;
  return (performance.now() - began) * 1_000;
}

if (import.meta.main) await main(curves);
