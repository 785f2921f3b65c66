import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { missingServices } from "../scripts/cluster/services.ts";
import { checkHistory } from "./chaos/check.ts";
import { causeFaults, FAULTS, type FaultName, type FaultPlan } from "./chaos/faults.ts";
import { keepDirecting } from "./chaos/operator.ts";
import { Person } from "./chaos/people.ts";
import { randomFrom } from "./chaos/random.ts";
import type { Directive, Fault, History } from "./chaos/records.ts";
import { renderResult } from "./chaos/report.ts";
import { AGENT, openWorld } from "./chaos/world.ts";

/**
 * `npm run bench:chaos [-- --quick]`: several gateways on one PostgreSQL and one Redis under load, while processes,
 * servers and networks fail. Exits with 1 if the logs of people, model and tools show a broken promise, and with 3 if the
 * suite itself failed. Every wait has a limit, so it always ends with its counts.
 */

const USAGE = `npm run bench:chaos [-- OPTIONS]

  --quick            20 conversations instead of 60; 30 seconds instead of 5 minutes, and each fault at least once
  --seed N           Repeats the random choices of an earlier run (default: random)
  --replicas N       Number of gateways (default: 3)
  --conversations N  Number of people who talk at the same time
  --seconds N        How long faults are caused
  --only A,B         Only these faults: ${FAULTS.join(", ")}; none: no fault at all
  --program FILE     The conduct program to test (default: this checkout's)
  --records FILE     Writes everything that the checker reads to this file
  --logs FILE        Writes what the gateways print to this file
`;

/** Conversations may end their turns for this long after the last fault. */
const SETTLE_MS = 40_000;
const SKEW_MS = 60_000;
const ARRIVE_MS = 120_000;
/** The longest fault restarts every gateway: 35 s to drain and 60 s to start, each. */
const LONGEST_FAULT_S = 400;
/** Longer than a person repeats a message and waits for its end. */
const STOP_MS = 150_000;
/** The suite's own timer is late by this much: then times prove nothing. */
const STALL_MS = 500;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (typeof options === "string") {
    process.stderr.write(`${options}\n`);
    return 2;
  }
  const missing = missingServices();
  if (missing.length > 0) {
    process.stderr.write(`${missing.join("\n")}\n`);
    return 1;
  }
  const { seed, seconds, conversations, replicas } = options;
  const random = randomFrom(seed);
  const now = () => performance.now();
  const began = now();
  const say = (line: string) => console.log(`${((now() - began) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
  console.log(`seed ${seed}: ${replicas} replicas, ${conversations} conversations, ${seconds} s of faults`);

  const skewMs = replicas > 1 ? SKEW_MS : 0;
  const world = await openWorld({
    ...{ replicas, skewMs, now, program: options.program, logs: options.logs },
    // Most requests are fast; some are slow enough to be under way when a fault comes.
    modelDelay: () => (random.between(0, 1) < 0.7 ? random.between(20, 150) : random.between(500, 5_000)),
    toolDelay: () => random.between(5, 300),
  });
  const people: Person[] = [];
  const faults: Fault[] = [];
  const directives: Directive[] = [];
  const broken: string[] = [];
  /** A wait that nobody ends must not keep the suite from its counts. */
  const within = async <T>(what: string, limitMs: number, work: Promise<T>): Promise<T | undefined> => {
    const late = Symbol();
    const ended = await Promise.race([work, sleep(limitMs, late, { ref: false })]).catch((error: unknown) => {
      broken.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    });
    if (ended !== late) return ended as T | undefined;
    broken.push(`${what}: not done after ${limitMs / 1_000} s`);
    return undefined;
  };
  if (world.skew !== undefined) say(`r${replicas} is ${SKEW_MS / 1_000} s ahead: ${world.skew}`);
  const arriving = Promise.all(
    Array.from({ length: conversations }, async (_, at) => {
      const token = await world.user(`person-${at}`);
      const name = `c${at}`;
      people.push(await Person.arrive({ ...{ token, name, random, now }, url: world.balancer.url, agent: AGENT }));
    }),
  );
  await within("the people arrive", ARRIVE_MS, arriving);
  say(`${people.length} people have arrived`);
  const stopWatching = watchStalls(now, (fault) => faults.push(fault));
  const until = now() + seconds * 1_000;
  const over = new AbortController();
  const directing = keepDirecting({ client: world.operator, now, over: over.signal }, directives);
  const talking = people.map((person) => person.talk(over.signal));
  const causing = { world, random, plan: options.plan, now, record: (fault: Fault) => void faults.push(fault), say };
  const harm = options.plan.kinds.length > 0 ? causeFaults(causing, until) : sleep(until - now());
  await within("the faults", (seconds + LONGEST_FAULT_S) * 1_000, harm);
  over.abort();
  await within("the people stop talking", STOP_MS, Promise.all(talking));
  say("the people stop talking and wait for what is open");
  const patience = now() + SETTLE_MS;
  await within("the open turns", SETTLE_MS * 2, Promise.all(people.map((person) => person.settle(patience))));
  await within("the directives", STOP_MS, directing);
  stopWatching();
  // A frozen owner that woke up could still act.
  await sleep(2_000);
  await within("the people leave", STOP_MS, Promise.all(people.map((person) => person.leave())));
  const history: History = {
    endedAt: now(),
    faults,
    sent: people.flatMap(({ sent }) => sent),
    seen: people.flatMap(({ seen }) => seen),
    model: world.model.calls,
    tools: world.tool.runs(),
    directives,
  };
  if (options.records !== undefined) writeFileSync(options.records, JSON.stringify(history));
  const violations = checkHistory(history);
  const reconnects = people.reduce((sum, person) => sum + person.reconnects, 0);
  console.log(renderResult(history, violations, { began, reconnects }));
  await within("everything is ended", STOP_MS, world.close());
  for (const line of broken) console.log(`the suite itself failed: ${line}`);
  if (violations.length > 0) return 1;
  return broken.length === 0 ? 0 : 3;
}

type Options = {
  readonly seed: number;
  readonly seconds: number;
  readonly conversations: number;
  readonly replicas: number;
  readonly program?: string;
  readonly records?: string;
  readonly logs?: string;
  readonly plan: FaultPlan;
};

function readOptions(args: readonly string[]): Options | string {
  const text = { type: "string" } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: "boolean", default: false },
        ...{ seed: text, replicas: text, conversations: text, seconds: text, only: text },
        ...{ program: text, records: text, logs: text },
      },
    });
    const { quick, program, records, logs } = values;
    const number = (name: "seed" | "replicas" | "conversations" | "seconds", fallback: number) => {
      const given = values[name] === undefined ? fallback : Number(values[name]);
      if (!Number.isSafeInteger(given) || given < 1) throw new Error(`--${name} needs a whole number above 0.`);
      return given;
    };
    return {
      seed: number("seed", 1 + (Date.now() % 1_000_000)),
      seconds: number("seconds", quick ? 30 : 300),
      conversations: number("conversations", quick ? 20 : 60),
      replicas: number("replicas", 3),
      plan: {
        kinds: readKinds(values.only),
        awayMs: quick ? 12_000 : 20_000,
        pauseMs: quick ? [500, 1_500] : [3_000, 8_000],
      },
      ...{ program, records, logs },
    };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`;
  }
}

function readKinds(only: string | undefined): readonly FaultName[] {
  if (only === undefined) return FAULTS;
  const names = only === "none" ? [] : only.split(",");
  return names.map((name) => {
    const found = FAULTS.find((kind) => kind === name);
    if (found === undefined) throw new Error(`--only: there is no fault '${name}'.`);
    return found;
  });
}

/** Records when this process itself did not get to run. */
function watchStalls(now: () => number, record: (fault: Fault) => void): () => void {
  const tick = 100;
  let last = now();
  const timer = setInterval(() => {
    const at = now();
    if (at - last > tick + STALL_MS) record({ kind: "stall", at: last, until: at });
    last = at;
  }, tick);
  return () => clearInterval(timer);
}

// Ends even if something of this process still waits.
process.exit(await main());
