import { existsSync, mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { adherenceSince } from "../src/apps/learning/adherence/measure-adherence.ts";
import { openReview } from "../src/apps/learning/open-review.ts";
import { characterCounter } from "../src/behavior/results/token-counter.ts";
import { nodeIds } from "../src/edge/host/node/node-ids.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import { ContractService } from "../src/engine/governance/contract-service.ts";
import { type CommandTime, measureCommands } from "./full-commands.ts";
import { measureRoutes, type RouteTime } from "./full-routes.ts";
import { fullStore, isFilled } from "./full-store.ts";
import { type Benchmark, main, progress, type Report } from "./report.ts";
import { quantile } from "./statistics.ts";

const SESSIONS = 100_000;
const QUICK_SESSIONS = 1_000;
const RUNS = 30;
const MONTH = 30 * 86_400_000;
const READ_BUDGET = 50_000;
const ROUTE_RUNS = 20;
const BUILT = fileURLToPath(new URL("../dist/conduct.mjs", import.meta.url));

export const full: Benchmark = {
  name: "full",
  about: [
    "A SQLite store with 100,000 sessions of ten events each, over 30 days. It is made once and stays in the temporary",
    "folder. First its projections are made, as for the store of an older Conduct; then the reads behind the console's pages and the review.",
  ],
  run,
};

async function run(report: Report): Promise<void> {
  const sessions = report.quick && !isFilled(SESSIONS) ? QUICK_SESSIONS : SESSIONS;
  const full = await fullStore(sessions, progress("filling the store"));
  const { file, now } = full;
  // The store stays for the next run, so its key must, too.
  process.env.CONDUCT_KEYS = `${full.home}-keys`;
  mkdirSync(process.env.CONDUCT_KEYS, { recursive: true, mode: 0o700 });
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
    const used = process.cpuUsage();
    const looked = await micros(() => steps.find(window));
    const { user, system } = process.cpuUsage(used);
    clearInterval(ticking);
    report.budget("issue 20: review of all sessions, in a worker", 10_000_000, looked, "time");
    report.budget("issue 20: review of all sessions, processor time", 10_000_000, user + system, "time");
    report.budget("issue 20: delay of the gateway's thread meanwhile, p99", 5_000, quantile(delays, 0.99), "time");
    const [newest] = (await events.sessions({ limit: 1, agent: "coder" })).sessions;
    const denied = (await events.read({ denied: true, limit: 1 })).events[0]?.event;
    const decision = denied?.type === "call" ? denied.decision.id : "";
    reportRoutes(report, await measureRoutes(full, report.quick ? 5 : ROUTE_RUNS));
    const ids = { session: newest?.session ?? "", decision };
    if (!existsSync(BUILT)) throw new Error("run npm run build first: the commands of the built program are measured");
    reportCommands(report, measureCommands(full, ids, report.quick ? 3 : 5));
  } finally {
    await store.close();
  }
}

/** The slowest routes by the median and all that are over the budget, by the processor time of a request. */
function reportRoutes(report: Report, routes: readonly RouteTime[]): void {
  const byCpu = routes.toSorted((a, b) => b.cpu - a.cpu);
  report.figures(
    `the 12 slowest of ${routes.length} requests: processor time, client included`,
    byCpu.slice(0, 12).map(({ route, cpu }) => ({ name: route, value: cpu, unit: "time" })),
  );
  const slowest = (of: "p50" | "p99") => Math.max(...routes.map((one) => one[of]));
  const within = routes.filter(({ cpu }) => cpu <= READ_BUDGET).length;
  const what = `issue 20: slowest of all console routes (${within} of ${routes.length} requests within 50 ms)`;
  report.budget(`${what}, p50`, READ_BUDGET, slowest("p50"), "time");
  report.budget(`${what}, p99`, READ_BUDGET, slowest("p99"), "time");
}

function reportCommands(report: Report, commands: readonly CommandTime[]): void {
  report.figures(
    "a whole process of the built program: processor time against bare Node",
    commands.map(({ command, ratio }) => ({ name: command, value: ratio, unit: "ratio" })),
  );
  const [median, slowest] = [0.5, 1].map((share) =>
    quantile(
      commands.map(({ ratio }) => ratio),
      share,
    ),
  );
  report.budget(
    "issue 20: CLI commands on a full store, median, against bare Node",
    1.6,
    median ?? Number.NaN,
    "ratio",
  );
  report.budget(
    "issue 20: slowest CLI command on a full store, against bare Node",
    1.6,
    slowest ?? Number.NaN,
    "ratio",
  );
}

async function micros(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) * 1_000;
}

await main(full);
