import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ConductClient } from "../src/apps/gateway/client.ts";
import { openWorld, type RunningGateway } from "./attack/world.ts";
import { type Benchmark, main, type Report } from "./report.ts";
import { spreadOf } from "./statistics.ts";

const CLIENT = fileURLToPath(new URL("./listeners-client.ts", import.meta.url));
const LISTENERS = 500;
/** One user may open 50 streams. */
const VIEWERS = 10;
const TURNS = 12;
const BUSY_PAUSE_MS = 60;

export const listeners: Benchmark = {
  name: "listeners",
  about: [
    `A user's turns with the demo model, while ${LISTENERS} listeners follow another conversation in which turns follow each other.`,
    "The reference is the same without listeners; rounds alternate, so that a busy machine slows both. The listeners are a process of their own.",
  ],
  run,
};

async function run(report: Report): Promise<void> {
  const world = openWorld();
  try {
    const gateway = await world.gateway();
    const viewers: string[] = [];
    for (let at = 0; at < VIEWERS; at++) viewers.push(await gateway.token("viewer", `viewer-${at}`));
    const [busy, other] = [await talker(gateway, "busy"), await talker(gateway, "other")];
    const path = `/api/sessions/${busy.session}/stream`;
    const follow = (how: "read" | "stuck") => openListeners([gateway.url, path, how, String(LISTENERS), ...viewers]);
    await other.measure(TURNS);

    const rounds = report.quick ? 2 : 5;
    const [alone, listened]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      alone.push(...(await whileBusy(busy, () => other.measure(TURNS))));
      const child = await follow("read");
      listened.push(...(await whileBusy(busy, () => other.measure(TURNS))));
      await close(child);
    }
    const before = memoryOf(gateway);
    const stuck = await follow("stuck");
    await whileBusy(busy, () => other.measure(TURNS * 2));
    const after = memoryOf(gateway);
    await close(stuck);

    const [without, withAll] = [spreadOf(alone).median, spreadOf(listened).median];
    report.figures("a turn of somebody else", [
      { name: "nobody listens", value: without, unit: "time" },
      { name: `${LISTENERS} listen to another conversation`, value: withAll, unit: "time" },
      { name: "memory before", value: before, unit: "bytes" },
      { name: `memory with ${LISTENERS} listeners that never read`, value: after, unit: "bytes" },
    ]);
    report.budget(`${LISTENERS} listeners on one conversation slow others by`, 2, withAll / without, "ratio");
  } finally {
    await world.close();
  }
}

type Talker = {
  readonly session: string;
  say(text: string): Promise<void>;
  /** Microseconds of each turn. */
  measure(turns: number): Promise<readonly number[]>;
};

async function talker(gateway: RunningGateway, id: string): Promise<Talker> {
  const client: ConductClient = gateway.client(await gateway.token("user", id));
  const [agent] = (await client.call("GET /api/agents", {})).agents;
  const { id: session } = await client.call("POST /api/sessions", { body: { agent: agent?.name ?? "" } });
  const say = async (text: string) => {
    const params = { id: session };
    await client.call("POST /api/sessions/{id}/messages", { params, query: { wait: "true" }, body: { text } });
  };
  return {
    session,
    say,
    async measure(turns) {
      const times: number[] = [];
      for (let at = 0; at < turns; at++) {
        const started = performance.now();
        await say(`hello ${at}`);
        times.push((performance.now() - started) * 1_000);
      }
      return times;
    },
  };
}

async function whileBusy<T>(busy: Talker, run: () => Promise<T>): Promise<T> {
  let isOver = false;
  const talking = (async () => {
    while (!isOver) {
      await busy.say("read README.md and tell me about it");
      await sleep(BUSY_PAUSE_MS);
    }
  })();
  try {
    return await run();
  } finally {
    isOver = true;
    await talking;
  }
}

async function openListeners(args: readonly string[]): Promise<ChildProcess> {
  const child = fork(CLIENT, [...args], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [message] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [unknown];
  if (message !== "ready") throw new Error(`the listeners ended with ${message}`);
  return child;
}

async function close(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.disconnect();
  await gone;
}

function memoryOf({ pid }: RunningGateway): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024;
}

if (import.meta.main) await main(listeners);
