import { mkdir, mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeFilesystem } from "../src/edge/host/node/node-filesystem.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { gatherAfter } from "../src/engine/moments/gather.ts";
import type { Conduct } from "../src/engine/session/conduct.ts";
import { decideSide, manyPolicies } from "./decide.ts";
import { BATCHES, type Side } from "./harness.ts";
import { type Benchmark, main, progress, type Report } from "./report.ts";
import { SeedSession } from "./seed-reference.ts";
import { benchAgent, benchCall, benchResult, CALLS_PER_TURN, Driver, instantFilesystem } from "./workload.ts";

const FILES = 500;
const PER_BATCH = 100;
const LEAD_IN = 20;
/** Up to this length, each batch gets its own session, because measuring would make a short history much longer. */
const SHORT = 1_000;

export const moments: Benchmark = {
  name: "moments",
  about: [
    "onCall + onResult of one call, 10 policies (and Conduct's own five) and 10 providers, in a session that has made so many calls before.",
    "Real clock, ids, tokenizer and events; files answer at once except where 'on disk' is said. The reference is the same after 100 calls.",
    "A figure is the median of 30 batches of 100 calls (lower..upper quartile); the ratio is of paired batches, ours / reference.",
  ],
  run,
};

async function run(report: Report): Promise<void> {
  const histories = report.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
  const conduct = openConductFromEnv({
    agents: [benchAgent(), manyPolicies()],
    workspace: "/w",
    journal: false,
    ports: { filesystem: instantFilesystem },
  });
  const long = await longSessions(conduct, histories);
  await growth(report, conduct, histories, long);
  await decide(report, conduct, histories, long);
  await gather(report);
  await seed(report, conduct, histories, long);
}

type Long = ReadonlyMap<number, Driver>;

async function longSessions(conduct: Conduct, histories: readonly number[]): Promise<Long> {
  const long = new Map<number, Driver>();
  for (const calls of histories.filter((history) => history > SHORT)) {
    const tick = progress(`a session of ${calls} calls`);
    long.set(calls, await new Driver(open(conduct)).upTo(calls, (done) => tick(done, calls)));
  }
  return long;
}

function open(conduct: Conduct, agent = "bench") {
  return conduct.session({ agent });
}

async function growth(report: Report, conduct: Conduct, histories: readonly number[], long: Long): Promise<void> {
  const rows = histories.map((calls) => ({
    name: `after ${calls.toLocaleString("en-US")} calls`,
    ours: afterCalls(conduct, calls, long),
    reference: afterCalls(conduct, 100, long),
    perBatch: PER_BATCH,
    each: true,
  }));
  const done = await report.group("onCall + onResult", { ours: "then", reference: "after 100 calls" }, rows);
  const tenThousand = done[histories.indexOf(10_000)];
  const last = done.at(-1);
  if (tenThousand === undefined || last === undefined) return;
  report.budget("design.md: onCall + onResult after 10,000 calls, p50", 50, tenThousand.ours.p50 ?? Number.NaN, "time");
  report.budget(`issue 2: onCall + onResult, ${last.name} / after 100 calls`, 1.2, last.ratio.median, "ratio");
}

/**
 * Continues one long session, or uses a new one for each batch if the history is short. All are created before
 * measuring, and each batch starts with unmeasured calls, so that both sides are equally warm.
 */
function afterCalls(conduct: Conduct, calls: number, long: Long): Side {
  const ready: Driver[] = [];
  let driver = long.get(calls);
  const isLong = driver !== undefined;
  return {
    prepare: async (batch) => {
      if (batch < 0 && !isLong) {
        for (let i = 0; i <= BATCHES; i++) ready.push(await new Driver(open(conduct)).upTo(calls - LEAD_IN));
      }
      if (!isLong) driver = ready[batch + 1];
      if (driver !== undefined) await driver.upTo(driver.calls + LEAD_IN);
    },
    before: () => driver?.between(),
    run: () => driver?.call(),
  };
}

async function decide(report: Report, conduct: Conduct, histories: readonly number[], long: Long): Promise<void> {
  const short = await new Driver(open(conduct)).upTo(100);
  const last = histories.at(-1) ?? 0;
  const tick = progress(`a session of ${last} calls under 100 policies`);
  const few = await new Driver(open(conduct, "many")).upTo(200);
  const many = await new Driver(open(conduct, "many")).upTo(last, (done) => tick(done, last));
  const of = last.toLocaleString("en-US");
  const sides = { ours: "then", reference: "at first" };
  const perBatch = report.quick ? 200 : 500;
  const done = await report.group("decide alone", sides, [
    {
      name: `10 policies, ${of} calls against 100`,
      ours: decideSide(long.get(last) ?? short, benchAgent()),
      reference: decideSide(short, benchAgent()),
      perBatch,
      each: true,
    },
    {
      name: `100 policies, 10 on the tool, ${of} calls against 200`,
      ours: decideSide(many, manyPolicies()),
      reference: decideSide(few, manyPolicies()),
      perBatch,
      each: true,
    },
  ]);
  const rules = done[1];
  if (rules === undefined) return;
  const what = "design.md: decide, 100 stateful policies of which 10 on the tool";
  report.budget(`${what}, 200 calls of history, p99`, 50, rules.reference.p99 ?? Number.NaN, "time");
  report.budget(`${what}, ${of} calls / 200 calls`, 1.2, rules.ratio.median, "ratio");
}

/** Reported separately, because looking up real files is disk time. */
async function gather(report: Report): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "conduct-bench-"));
  try {
    await writeFile(join(root, "README.md"), "# bench\n");
    await populate(root);
    const disk = openConductFromEnv({ agents: [benchAgent()], workspace: root, journal: false });
    const instant = openConductFromEnv({
      agents: [benchAgent()],
      journal: false,
      ports: { filesystem: instantFilesystem },
    });
    const calls = report.quick ? 1_000 : 10_000;
    const onDisk = await new Driver(disk.session({ agent: "bench" }), FILES).upTo(calls);
    const atOnce = await new Driver(instant.session({ agent: "bench" }), FILES).upTo(calls);
    const filesystem = nodeFilesystem(root);
    const path = join(root, "README.md");
    await report.group("gather", { ours: "ours", reference: "reference" }, [
      {
        name: "one path looked up on disk; against realpath + stat",
        ours: () => gatherAfter({ paths: ["README.md"], proving: false }, filesystem, 2_000),
        reference: async () => [await realpath(path), await stat(path, { bigint: true })],
        perBatch: 50,
        each: true,
      },
      {
        name: "a path that is not there; against realpath + stat of one that is",
        ours: () => gatherAfter({ paths: ["not/there.md"], proving: false }, filesystem, 2_000),
        reference: async () => [await realpath(path), await stat(path, { bigint: true })],
        perBatch: 50,
        each: true,
      },
      {
        name: "onCall + onResult on disk; against files that answer at once",
        ours: { before: () => onDisk.between(), run: () => onDisk.call() },
        reference: { before: () => atOnce.between(), run: () => atOnce.call() },
        perBatch: PER_BATCH,
        each: true,
      },
    ]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function populate(root: string): Promise<void> {
  await mkdir(join(root, "src"));
  for (let i = 0; i < FILES; i++) await writeFile(join(root, "src", `part-${i}.ts`), "export {};\n");
}

async function seed(report: Report, conduct: Conduct, histories: readonly number[], long: Long): Promise<void> {
  const rows = histories.map((calls) => ({
    name: `after ${calls.toLocaleString("en-US")} calls`,
    ours: afterCalls(conduct, calls, long),
    reference: seedSide(calls),
    perBatch: CALLS_PER_TURN,
    each: true,
  }));
  await report.group("against seed 001's way", { ours: "Conduct", reference: "log copied and gone through" }, rows);
}

function seedSide(calls: number): Side {
  let session: SeedSession;
  let index = calls;
  return {
    prepare: () => {
      session = new SeedSession(Array.from({ length: calls }, (_, i) => benchCall(i)));
      index = calls;
    },
    run: () => {
      const call = benchCall(index);
      session.onCall(call);
      return session.onResult(call, benchResult(index++));
    },
  };
}

if (import.meta.main) await main(moments);
