import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { adherenceSince } from "../src/apps/learning/adherence/measure-adherence.ts";
import { openReview } from "../src/apps/learning/open-review.ts";
import { characterCounter } from "../src/behavior/results/token-counter.ts";
import { nodeIds } from "../src/edge/host/node/node-ids.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import { ContractService } from "../src/engine/governance/contract-service.ts";
import { fullStore } from "./full-store.ts";
import { type Benchmark, main, progress, type Report } from "./report.ts";
import { quantile } from "./statistics.ts";

const SESSIONS = 100_000;
const QUICK_SESSIONS = 1_000;
const RUNS = 30;
const MONTH = 30 * 86_400_000;
const READ_BUDGET = 50_000;
const CONDUCT = fileURLToPath(new URL("../src/apps/cli/conduct.mjs", import.meta.url));

export const full: Benchmark = {
  name: "full",
  about: [
    "A SQLite store with 100,000 sessions of ten events each, over 30 days (1,000 sessions with --quick). It is made once and stays in the temporary",
    "folder. First its projections are made, as for the store of an older Conduct; then the reads behind the console's pages and the review.",
  ],
  run,
};

async function run(report: Report): Promise<void> {
  const sessions = report.quick ? QUICK_SESSIONS : SESSIONS;
  const { home, file, now } = await fullStore(sessions, progress("filling the store"));
  const place = { kind: "sqlite", file } as const;
  const store = await openSqlStore(place);
  try {
    const { events, adherence } = store;
    const governance = { ...store.governance, witness: undefined };
    const clock = { now: () => now, monotonic: () => performance.now() };
    const contracts = new ContractService({
      journal: governance,
      clock,
      ids: nodeIds(),
      counter: async () => characterCounter,
    });
    const sources = { events, adherence, governance, contracts };
    const since = now - MONTH;
    report.figures(`${sessions} sessions, made anew if the store is new`, [
      {
        name: "summaries, figures, words, prompts per contract",
        value: await micros(() => events.sessions({ limit: 1 })),
        unit: "time",
      },
      { name: "adherence", value: await micros(() => adherenceSince(sources, since)), unit: "time" },
      { name: "file", value: statSync(file).size, unit: "bytes" },
    ]);
    const hash = (await contracts.contract({})).hash;
    const reads = [
      ["/api/adherence", 2 * READ_BUDGET, () => adherenceSince(sources, since)],
      ["newest sessions and their number", READ_BUDGET, () => events.sessions({ limit: 20 })],
      ["agents", READ_BUDGET, () => events.agents()],
      ["figures of 30 days", READ_BUDGET, () => events.figures({ by: "day", since, until: now })],
      ["use of a contract", READ_BUDGET, () => events.contractUse(hash)],
      ["denied calls", READ_BUDGET, () => events.read({ denied: true, limit: 50 })],
      ["sessions by words", READ_BUDGET, () => events.sessions({ limit: 20, text: "mend point 7" })],
    ] as const;
    for (const [name, budget, read] of reads) {
      const times: number[] = [];
      for (let at = 0; at < RUNS; at++) times.push(await micros(read));
      const p99 = quantile(times, 0.99);
      report.figures(name, [
        { name: "p50", value: quantile(times, 0.5), unit: "time" },
        { name: "p99", value: p99, unit: "time" },
      ]);
      report.budget(`issue 20: ${name}, p99`, budget, p99, "time");
    }
    const steps = openReview({ ...sources, clock, place, thresholds: { lookBackMs: MONTH } });
    const window = await steps.window(now);
    if (window === "nothing") throw new Error("there was nothing to review");
    const delays: number[] = [];
    let before = performance.now();
    const ticking = setInterval(() => {
      const at = performance.now();
      delays.push((at - before - 1) * 1_000);
      before = at;
    }, 1);
    const looked = await micros(() => steps.find(window));
    clearInterval(ticking);
    report.budget("issue 20: review of all sessions, in a worker", 10_000_000, looked, "time");
    report.budget("issue 20: delay of the gateway's thread meanwhile, p99", 5_000, quantile(delays, 0.99), "time");
    const env = { ...process.env, CONDUCT_HOME: home, CONDUCT_STORE: "" };
    const list = () => void spawnSync(process.execPath, [CONDUCT, "behavior", "list"], { env });
    const [listed] = await report.group("a whole process", { ours: "conduct", reference: "bare Node" }, [
      {
        name: "behavior list",
        ours: list,
        reference: () => void spawnSync(process.execPath, ["-e", "0"]),
        perBatch: 1,
      },
    ]);
    report.budget("issue 20: behavior list, against bare Node", 1.6, listed?.ratio.median ?? Number.NaN, "ratio");
  } finally {
    await store.close();
  }
}

async function micros(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) * 1_000;
}

await main(full);
