import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type ConductClient, conductClient } from "../../src/apps/gateway/client.ts";
import { AGENT, openWorld, type World } from "../chaos/world.ts";

/** Figures of one number of replicas. */
export type Measured = {
  readonly replicas: number;
  /** With many people at once. */
  readonly turnsPerSecond: number;
  /** Milliseconds from sending a message to the first request at the model server, with few people. */
  readonly startMs: readonly number[];
  /** Milliseconds from sending a message to its answer, with few people. Model and tool answer at once. */
  readonly turnMs: readonly number[];
  readonly perTurn: PerTurn;
  /** Without any message. */
  readonly idle: { readonly transactionsPerSecond: number; readonly walBytesPerSecond: number };
  readonly failed: number;
};

export type PerTurn = {
  /** Rows inserted, updated and deleted. */
  readonly rows: number;
  readonly transactions: number;
  readonly walBytes: number;
  /** CPU time of all gateways, and of PostgreSQL. */
  readonly gatewayCpuMs: number;
  readonly postgresCpuMs: number;
};

type Size = { readonly few: number; readonly many: number; readonly seconds: number };

/** PostgreSQL publishes its counters about once a second. */
const COUNTERS_MS = 1_500;

/** Measures turns with one tool call on the given number of replicas. */
export async function measureReplicas(replicas: number, { few, many, seconds }: Size): Promise<Measured> {
  const now = () => performance.now();
  const world = await openWorld({ replicas, isDirect: true, now, modelDelay: () => 0, toolDelay: () => 0 });
  try {
    const people = await Promise.all(
      Array.from({ length: many }, async (_, at) => arrive(world, `c${at}`, await world.user(`person-${at}`))),
    );
    // The first turns load code and open connections.
    await talk(people, now() + 3_000);
    const idleFrom = await readCounters(world);
    await sleep(5_000);
    const idleTo = await readCounters(world);
    const light = await talk(people.slice(0, few), now() + seconds * 500);
    const from = await readCounters(world);
    const began = now();
    const loaded = await talk(people, began + seconds * 1_000);
    const took = (now() - began) / 1_000;
    const to = await readCounters(world);
    const turns = Math.max(1, loaded.turnMs.length);
    const askedAt = new Map(world.model.calls.filter(({ step }) => step === 0).map(({ message, at }) => [message, at]));
    return {
      replicas,
      turnsPerSecond: loaded.turnMs.length / took,
      startMs: light.sent.flatMap(({ message, at }) => {
        const asked = askedAt.get(message);
        return asked === undefined ? [] : [asked - at];
      }),
      turnMs: light.turnMs,
      perTurn: {
        rows: (to.rows - from.rows) / turns,
        transactions: (to.transactions - from.transactions) / turns,
        walBytes: (to.wal - from.wal) / turns,
        gatewayCpuMs: (to.gatewayCpuMs - from.gatewayCpuMs) / turns,
        postgresCpuMs: (to.postgresCpuMs - from.postgresCpuMs) / turns,
      },
      idle: {
        transactionsPerSecond: (idleTo.transactions - idleFrom.transactions) / ((idleTo.at - idleFrom.at) / 1_000),
        walBytesPerSecond: (idleTo.wal - idleFrom.wal) / ((idleTo.at - idleFrom.at) / 1_000),
      },
      failed: light.failed + loaded.failed,
    };
  } finally {
    await world.close();
  }
}

type Talker = {
  readonly name: string;
  readonly session: string;
  readonly client: ConductClient;
  /** Messages so far. */
  count: number;
};

async function arrive(world: World, name: string, token: string): Promise<Talker> {
  const client = conductClient({ url: world.balancer.url, token });
  const { id } = await client.call("POST /api/sessions", { body: { agent: AGENT } });
  return { name, session: id, client, count: 0 };
}

/** Every person sends the next message as soon as the last one is answered. */
async function talk(people: readonly Talker[], until: number) {
  const turnMs: number[] = [];
  const sent: { readonly message: string; readonly at: number }[] = [];
  let failed = 0;
  const one = async (person: Talker) => {
    while (performance.now() < until) {
      const message = `${person.name}-m${person.count++}`;
      const at = performance.now();
      sent.push({ message, at });
      const given = {
        params: { id: person.session },
        query: { wait: "true" } as const,
        body: { text: `[${message}] Go.` },
      };
      const turn = await person.client.call("POST /api/sessions/{id}/messages", given).catch(() => undefined);
      if (turn?.status === "complete") turnMs.push(performance.now() - at);
      else failed += 1;
    }
  };
  await Promise.all(people.map(one));
  return { turnMs, sent, failed };
}

type Counters = {
  readonly at: number;
  readonly rows: number;
  readonly transactions: number;
  readonly wal: number;
  readonly gatewayCpuMs: number;
  readonly postgresCpuMs: number;
};

async function readCounters({ services, members }: World): Promise<Counters> {
  await sleep(COUNTERS_MS);
  const client = new pg.Client({ connectionString: services.database });
  await client.connect();
  try {
    const { rows } = await client.query<{ rows: string; transactions: string; wal: string; pid: number }>(
      `select tup_inserted + tup_updated + tup_deleted as rows, xact_commit + xact_rollback as transactions,
        pg_current_wal_lsn() - '0/0'::pg_lsn as wal, pg_backend_pid() as pid
        from pg_stat_database where datname = current_database()`,
    );
    const [found] = rows;
    if (found === undefined) throw new Error("PostgreSQL has no counters of this database");
    const postmaster = statOf(found.pid)?.parent ?? 0;
    const ofGateways = members.map((member) => statOf(member.current().pid ?? 0)?.cpuMs ?? 0);
    return {
      at: performance.now(),
      rows: Number(found.rows),
      transactions: Number(found.transactions),
      wal: Number(found.wal),
      gatewayCpuMs: ofGateways.reduce((sum, ms) => sum + ms, 0),
      postgresCpuMs: treeCpuMs(postmaster),
    };
  } finally {
    await client.end();
  }
}

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** CPU time of a process, that of its ended children, and its parent; `undefined` if it is gone. */
function statOf(
  pid: number,
): { readonly cpuMs: number; readonly endedMs: number; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may contain spaces.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { cpuMs: (user + system) * TICK_MS, endedMs: (endedUser + endedSystem) * TICK_MS, parent: fields[1] ?? 0 };
  } catch {
    return undefined;
  }
}

function treeCpuMs(root: number): number {
  const own = statOf(root);
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === root);
  return children.reduce((sum, stat) => sum + (stat?.cpuMs ?? 0), (own?.cpuMs ?? 0) + (own?.endedMs ?? 0));
}
