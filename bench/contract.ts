import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HotContract } from "../src/base/ports/stores/hot-contract.ts";
import { contractFor } from "../src/behavior/contract/active-contract.ts";
import { loadTokenizer } from "../src/behavior/results/token-counter.ts";
import { nodeClock } from "../src/edge/host/node/node-clock.ts";
import { nodeIds } from "../src/edge/host/node/node-ids.ts";
import { redisHotContract } from "../src/edge/stores/redis/redis-hot-contract.ts";
import { READER, type ReaderAnswer, type ReaderAsk } from "../src/edge/stores/redis/test/reader.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import type { SqlStore } from "../src/edge/stores/sql/sql-store.ts";
import { findRedis, startRedis } from "../src/edge/stores/test/servers/redis.ts";
import { ContractService } from "../src/engine/governance/contract-service.ts";
import { type Benchmark, main, type Report } from "./report.ts";
import { quantile } from "./statistics.ts";

const VIEW = { agent: "helper", channel: "web", user: "ann" };
const READERS = 4;
const WARM_UP = 20;
/** Fits into a contract with space left. */
const DIRECTIVES = 12;

export const contract: Benchmark = {
  name: "contract",
  about: [
    `A contract of ${DIRECTIVES} directives in SQLite. A turn's read: service.contract(view), while nothing has changed; its reference looks into`,
    "the journal for news and works the contract out anew, as a service without a hot contract must at least do.",
    "A durable change (an add, then its removal): decided, hashed, written and synced; its reference is the bare append of an entry of that size.",
    `Seen by ${READERS} processes: from the acknowledged change to the first turn under it in the last of them, with a turn each millisecond in each.`,
  ],
  run,
};

async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "conduct-bench-contract-"));
  const file = join(folder, "conduct.db");
  const store = await openSqlStore({ kind: "sqlite", file });
  const program = findRedis();
  const redis = program === undefined ? undefined : await startRedis(program);
  const hot = redis === undefined ? undefined : redisHotContract(redis.url);
  try {
    const service = await filled(store, hot);
    if (redis === undefined)
      report.say("skipped: no redis-server on this machine, so nothing is read or seen through Redis.");
    else {
      await reading(report, service, store);
      await seeing(report, service, { file, redis: redis.url });
    }
    await adding(report, folder);
  } finally {
    await hot?.close();
    await redis?.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function reading(report: Report, service: ContractService, store: SqlStore): Promise<void> {
  const { seq } = await store.governance.head();
  const [read] = await report.group("a turn's contract", { ours: "cached", reference: "from the journal" }, [
    {
      name: "nothing has changed",
      ours: { run: () => service.contract(VIEW), repeat: 20 },
      reference: async () => {
        await store.governance.read({ from: seq + 1, limit: 1 });
        return contractFor(await service.state(), VIEW, Date.now());
      },
      perBatch: 200,
    },
  ]);
  report.budget("issue 5: contract read at a turn, cached", 5, read?.ours.spread.median ?? Number.NaN, "time");
}

async function adding(report: Report, folder: string): Promise<void> {
  const [ours, theirs] = await Promise.all(
    ["ours.db", "theirs.db"].map((name) => openSqlStore({ kind: "sqlite", file: join(folder, name) })),
  );
  if (ours === undefined || theirs === undefined) return;
  const service = serve(ours);
  const body = { directive: { text: "x".repeat(250) }, absorbed: [] };
  let round = 0;
  await report.group("a durable change", { ours: "add, remove", reference: "bare append" }, [
    {
      name: "on SQLite",
      ours: () => change(service, round++),
      reference: async () => {
        const { seq } = await theirs.governance.head();
        await theirs.governance.append(seq, [{ at: 0, by: "op", kind: "bench.added", body }]);
      },
      perBatch: report.quick ? 10 : 40,
    },
  ]);
  await Promise.all([ours.close(), theirs.close()]);
}

async function seeing(
  report: Report,
  service: ContractService,
  place: { readonly file: string; readonly redis: string },
): Promise<void> {
  const readers = Array.from({ length: READERS }, () => fork(READER, [JSON.stringify(place)]));
  try {
    await Promise.all(readers.map(answerOf));
    const times: number[] = [];
    const changes = report.quick ? 50 : 500;
    // The first rounds are warm-up and do not count.
    for (let round = -WARM_UP; round < changes; round++) {
      const version = (await service.state()).seq + 1;
      const seen = readers.map(async (reader) => {
        await ask(reader, { kind: "await", version });
        return performance.now();
      });
      // Some turns begin before the change.
      await new Promise((resolve) => setTimeout(resolve, 5));
      await change(service, round);
      const from = performance.now();
      const last = Math.max(...(await Promise.all(seen)));
      if (round >= 0) times.push(Math.max(0, last - from) * 1_000);
    }
    const p99 = quantile(times, 0.99);
    report.figures(`a change seen by ${READERS} other processes through Redis`, [
      { name: "p50", value: quantile(times, 0.5), unit: "time" },
      { name: "p99", value: p99, unit: "time" },
      { name: "changes", value: changes, unit: "count" },
    ]);
    report.budget(`a contract change seen by ${READERS} other processes through Redis, p99`, 10_000, p99, "time");
  } finally {
    for (const reader of readers) reader.kill("SIGKILL");
  }
}

/** Alternately adds and removes a directive, so that the contract keeps its size. */
async function change(service: ContractService, round: number): Promise<void> {
  const state = await service.state();
  const last = service.of(state, {}).directives.at(-1);
  const decision =
    round % 2 === 0 || last === undefined
      ? await service.change({ kind: "add", type: "keep", text: `an eye on build ${round} of the release` }, "op")
      : await service.change({ kind: "remove", id: last.id }, "op");
  if (decision.kind === "refused") throw new Error(decision.message);
}

async function filled(store: SqlStore, hot: HotContract | undefined): Promise<ContractService> {
  const service = serve(store, hot);
  for (let at = 0; at < DIRECTIVES; at++) {
    const text = `short notes on part ${at} of the work while it is being done`;
    const decision = await service.change({ kind: "add", type: "keep", text }, "op");
    if (decision.kind === "refused") throw new Error(decision.message);
  }
  // Wait until the hot contract is trusted, because only that is measured.
  while (hot !== undefined && (await hot.newest()) === undefined) await service.state();
  return service;
}

function serve({ governance }: SqlStore, hot?: HotContract): ContractService {
  const ports = { journal: governance, clock: nodeClock(), ids: nodeIds(), counter: () => loadTokenizer() };
  return new ContractService({ ...ports, ...(hot === undefined ? {} : { hot }) });
}

async function answerOf(reader: ChildProcess): Promise<ReaderAnswer> {
  const [answer] = await once(reader, "message");
  return answer as ReaderAnswer;
}

function ask(reader: ChildProcess, what: ReaderAsk): Promise<ReaderAnswer> {
  const answer = answerOf(reader);
  reader.send(what);
  return answer;
}

if (import.meta.main) await main(contract);
