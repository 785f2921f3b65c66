import { mkdtempSync, rmSync } from "node:fs";
import { Session as Inspector } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Side } from "./harness.ts";
import { type Benchmark, type Figure, main, progress, type Report } from "./report.ts";
import { show } from "./show.ts";
import { measureWeakincentives } from "./weakincentives.ts";
import type { Driver } from "./workload.ts";

export const calls: Benchmark = {
  name: "calls",
  about: [
    "onCall + onResult of one call, 10 policies and 10 providers, in a session that has made 10,000 calls (--quick: 1,000); default configuration first.",
    "--base DIR measures another checkout in the same run, batch by batch in turns; without it the reference is the same session after 100 calls.",
    "--weakincentives DIR measures the same work in a checkout of the public repository; without it the ratio is against the figure in peers.md.",
    "Files answer at once. Processor time counts what runs after the answer too: redaction, the journal, garbage collection.",
  ],
  run,
};

const PER_BATCH = 100;
const COUNTED = 1_000;
/** weakincentives, a whole bridged call after 10,000 calls, in microseconds: shared/facts/peers.md. */
const PEER_US = 57_000;

const WAYS = {
  daemon: "journal on disk, session saved before each answer (daemon)",
  library: "journal on disk, session in memory (openConduct)",
  plain: "nothing journaled",
} as const;
type Way = keyof typeof WAYS;

/** One checkout, imported by its path, so that two can run in one process. */
type Tree = {
  readonly open: typeof import("../src/edge/host/opening/open-conduct.ts").openConductFromEnv;
  readonly stores: typeof import("../src/edge/stores/call-stores.ts").openCallStores;
  readonly host: typeof import("../src/edge/host/opening/local-host.ts").localHost;
  readonly workload: typeof import("./workload.ts");
};

async function treeAt(root: string): Promise<Tree> {
  const load = (path: string) => import(pathToFileURL(join(root, path)).href);
  return {
    open: (await load("src/edge/host/opening/open-conduct.ts")).openConductFromEnv,
    stores: (await load("src/edge/stores/call-stores.ts")).openCallStores,
    host: (await load("src/edge/host/opening/local-host.ts")).localHost,
    workload: await load("bench/workload.ts"),
  };
}

type Opened = { readonly driver: Driver; flush(): Promise<void>; close(): Promise<void> };

/** A session of the benchmark's agent in a store of its own, with so many calls behind it. */
async function openSession(tree: Tree, way: Way, history: number): Promise<Opened> {
  const root = mkdtempSync(join(tmpdir(), "conduct-bench-calls-"));
  const home = join(root, "home");
  const env = { ...process.env, CONDUCT_HOME: home, CONDUCT_KEYS: join(root, "keys") };
  const { benchAgent, Driver, instantFilesystem: filesystem } = tree.workload;
  const stores =
    way === "plain" ? undefined : await tree.stores({ kind: "sqlite", file: join(home, "conduct.db") }, env);
  const journal = stores === undefined ? false : stores.events;
  const conduct = tree.open({ agents: [benchAgent()], workspace: root, home, journal, ports: { filesystem } }, env);
  const session = async () => {
    if (way !== "daemon" || stores === undefined) return conduct.session({ agent: "bench" });
    const saves = { store: stores.sessions, now: Date.now, onFailure: "reject" } as const;
    const sessionOptions = () => ({ filesystem });
    return tree.host(conduct, { agent: "bench", saves, sessionOptions }).open({ runtime: "bench", id: "s", cwd: root });
  };
  const driver: Driver = new Driver((await session()) as Driver["session"]);
  const tick = progress(`${WAYS[way]}: ${history} calls`);
  while (driver.calls < history) {
    await driver.upTo(Math.min(history, driver.calls + PER_BATCH));
    await pause();
    tick(driver.calls, history);
  }
  return {
    driver,
    flush: () => conduct.flush(),
    async close() {
      await conduct.close();
      await stores?.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Lets the journal write, as it does while a real tool runs. */
function pause(): Promise<unknown> {
  return new Promise((done) => setImmediate(done));
}

function sideOf({ driver }: Opened): Side {
  return {
    async before() {
      await driver.between();
      await pause();
    },
    run: () => driver.call(),
  };
}

async function run(report: Report): Promise<void> {
  const { base, weakincentives } = parseArgs({
    options: { base: { type: "string" }, weakincentives: { type: "string" } },
    strict: false,
  }).values as { readonly base?: string; readonly weakincentives?: string };
  const history = report.quick ? 1_000 : 10_000;
  const ours = await treeAt(resolve(import.meta.dirname, ".."));
  const other = base === undefined ? ours : await treeAt(resolve(base));
  const reference = base === undefined ? "after 100 calls" : `base (${base})`;
  const figures: Figure[] = [];
  const p50: { [way in Way]?: number } = {};
  for (const way of Object.keys(WAYS) as Way[]) {
    const [now, before] = [
      await openSession(ours, way, history),
      await openSession(other, way, base === undefined ? 100 : history),
    ];
    try {
      const sides = { ours: sideOf(now), reference: sideOf(before) };
      const rows = [{ name: WAYS[way], ...sides, perBatch: PER_BATCH, each: true }];
      const [row] = await report.group("a call", { ours: "conduct", reference }, rows);
      p50[way] = row?.ours.p50 ?? Number.NaN;
      budgets(report, way, row?.ours);
      report.say(`the reference's p50 ${row?.reference.p50?.toFixed(0)} us, p99 ${row?.reference.p99?.toFixed(0)} us`);
      for (const [name, side] of [
        ["conduct", now],
        [reference, before],
      ] as const) {
        figures.push({
          name: `${way}, ${name}: processor time a call`,
          value: await processorTime(side),
          unit: "time",
        });
        if (way === "plain") {
          const bytes = await allocated(side.driver);
          figures.push({ name: `${way}, ${name}: allocated a call`, value: bytes, unit: "bytes" });
          if (side === now) report.budget("issue 20: allocated a call, nothing journaled", 10_000, bytes, "bytes");
        }
      }
    } finally {
      await Promise.all([now.close(), before.close()]);
    }
  }
  report.figures("a call", figures);
  const peer = weakincentives === undefined ? PEER_US : await measureWeakincentives(weakincentives, history);
  const source = weakincentives === undefined ? "57 ms, from peers.md, not measured in this run" : show(peer, "time");
  for (const [way, times] of [
    ["plain", 1_000],
    ["daemon", 400],
  ] as const) {
    const name = `issue 20: ${times.toLocaleString("en-US")} x faster than weakincentives (${source}), ${WAYS[way]}, p50`;
    report.budget(name, peer / times, p50[way] ?? Number.NaN, "time");
  }
}

function budgets(
  report: Report,
  way: Way,
  measured: { readonly p50?: number; readonly p99?: number } | undefined,
): void {
  const { p50 = Number.NaN, p99 = Number.NaN } = measured ?? {};
  if (way === "plain") {
    report.budget("issue 20: a call, nothing journaled, p50", 30, p50, "time");
    report.figures("a call", [{ name: "issue 20: a call, nothing journaled, p99", value: p99, unit: "time" }]);
    return;
  }
  report.budget(`issue 20: a call, ${WAYS[way]}, p50`, 100, p50, "time");
  report.budget(`issue 20: a call, ${WAYS[way]}, p99`, 2_000, p99, "time");
}

/** Microseconds of processor time a call, including everything that is written afterwards. */
async function processorTime({ driver, flush }: Opened): Promise<number> {
  await flush();
  const started = process.cpuUsage();
  for (let at = 0; at < COUNTED; at++) {
    await driver.between();
    await pause();
    await driver.call();
  }
  await flush();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / COUNTED;
}

/** Bytes allocated a call, sampled; collected objects count too. */
async function allocated(driver: Driver): Promise<number> {
  const inspector = new Inspector();
  inspector.connect();
  try {
    await inspector.post("HeapProfiler.enable");
    await inspector.post("HeapProfiler.startSampling", {
      samplingInterval: 4_096,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    for (let at = 0; at < COUNTED; at++) {
      await driver.between();
      await driver.call();
    }
    const { profile } = await inspector.post("HeapProfiler.stopSampling");
    return sizeOf(profile.head) / COUNTED;
  } finally {
    inspector.disconnect();
  }
}

type SampledNode = { readonly selfSize: number; readonly children: readonly SampledNode[] };

function sizeOf({ selfSize, children }: SampledNode): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize);
}

if (import.meta.main) await main(calls);
