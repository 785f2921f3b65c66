import { findPostgres, startPostgres } from "../src/edge/stores/test/servers/postgres.ts";
import { measureKeeping } from "./gateway-keep.ts";
import { type Load, load, Person } from "./gateway-load.ts";
import { measureMemoryUse } from "./gateway-memory.ts";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.ts";
import { watch } from "./gateway-watch.ts";
import { type Benchmark, main, type Report } from "./report.ts";
import { quantile } from "./statistics.ts";

export const gateway: Benchmark = {
  name: "gateway",
  about: [
    "The gateway in a process of its own, on the demo model, on SQLite and then on PostgreSQL; 200 people from this process, each with a session and its stream open,",
    "each saying the next thing as soon as the last is answered (hello, read a file, remember, recall, release): HTTP and server-sent events over",
    "loopback. A turn's time is from the message until its end comes by the stream, so at full load it is the time in the queue, too.",
  ],
  run,
};

const PEOPLE = 200;

/** Maximum time without any progress; the machine may be busy. */
const STILL_MS = 60_000;

async function run(report: Report): Promise<void> {
  await measureLoad(report, "SQLite", {});
  const programs = findPostgres();
  if (programs === undefined) report.say("PostgreSQL: NOT MEASURED, because initdb and postgres are not installed");
  else {
    const server = await startPostgres(programs, { durable: true });
    try {
      await measureLoad(report, "PostgreSQL", { CONDUCT_STORE: await server.createDatabase() });
    } finally {
      await server.stop();
    }
  }
  await measureKeeping(report);
  await measureMemoryUse(report);
}

async function measureLoad(report: Report, store: string, env: { readonly CONDUCT_STORE?: string }): Promise<void> {
  const server = await startGatewayProcess(PEOPLE + 1, env);
  const { url } = server;
  try {
    const [first, ...people] = server.tokens.map((token) => new Person(url, token));
    if (first === undefined) throw new Error("the gateway has no users");
    const seconds = report.quick ? 10 : 60;
    const { empty, idle, done, used } = await watch([first, ...people], STILL_MS, () =>
      run200(server, first, people, seconds),
    );
    show(report, store, done);
    const turn = { cpu: (used.cpu - idle.cpu) / done.turns, written: (used.written - idle.written) / done.turns };
    report.figures(`a turn on ${store}`, [
      { name: "processor time of the gateway", value: turn.cpu, unit: "time" },
      { name: "written to files", value: turn.written, unit: "bytes" },
      { name: "turns a second and core", value: Math.round(1_000_000 / turn.cpu), unit: "count" },
    ]);
    if (store === "SQLite") {
      report.budget("issue 20: processor time of a gateway turn", 2_500, turn.cpu, "time");
      report.budget(
        "issue 20: idle session in the gateway, its stream open",
        20_000,
        each(idle.heap, empty.heap),
        "bytes",
      );
      report.budget("issue 20: written by a gateway turn", 30_720, turn.written, "bytes");
      report.budget(
        `issue 20: a turn with ${PEOPLE} conversations, p99`,
        1_000_000,
        quantile(done.turnTimes, 0.99),
        "time",
      );
    }
    report.figures(`memory of the gateway on ${store}`, [
      { name: "with one session: heap", value: empty.heap, unit: "bytes" },
      { name: "with one session: resident", value: empty.rss, unit: "bytes" },
      {
        name: "each idle session after one turn, its stream open: heap",
        value: each(idle.heap, empty.heap),
        unit: "bytes",
      },
      { name: "each idle session after the load: heap", value: each(used.heap, empty.heap), unit: "bytes" },
      { name: `with ${PEOPLE} sessions after the load: resident`, value: used.rss, unit: "bytes" },
    ]);
  } finally {
    await server.end();
  }
}

async function run200(server: GatewayProcess, first: Person, people: readonly Person[], seconds: number) {
  // One session runs first, so that code is compiled and caches are filled before counting.
  await warmUp(first);
  const empty = await server.used();
  for (const person of people) await person.open();
  for (const person of people) await person.follow();
  for (const person of people) await person.say("hello");
  const idle = await server.used();
  const done = await load(people, seconds);
  const used = await server.used();
  for (const person of people) await person.leave();
  return { empty, idle, done, used };
}

async function warmUp(person: Person): Promise<void> {
  await person.open();
  await person.follow();
  await person.talk(performance.now() + 1_000);
  await person.leave();
}

function show(
  report: Report,
  store: string,
  { seconds, requests, turns, events, turnTimes, timesBySaid, postTimes, errors }: Load,
): void {
  report.figures(`${PEOPLE} sessions at once for ${Math.round(seconds)} s on ${store}`, [
    { name: "turns a second", value: Math.round(turns / seconds), unit: "count" },
    { name: "requests a second", value: Math.round(requests / seconds), unit: "count" },
    { name: "server-sent events a second", value: Math.round(events / seconds), unit: "count" },
    { name: "a turn, p50", value: quantile(turnTimes, 0.5), unit: "time" },
    { name: "a turn, p99", value: quantile(turnTimes, 0.99), unit: "time" },
    { name: "a message taken, p50", value: quantile(postTimes, 0.5), unit: "time" },
    { name: "a message taken, p99", value: quantile(postTimes, 0.99), unit: "time" },
  ]);
  // A long turn is not a stalled one: a turn with many model requests also waits in the queue as many times.
  report.figures(
    `the same turns by what was said, on ${store}`,
    [...timesBySaid].flatMap(([said, times]) => [
      { name: `'${said}', p50`, value: quantile(times, 0.5), unit: "time" as const },
      { name: `'${said}', p99`, value: quantile(times, 0.99), unit: "time" as const },
    ]),
  );
  for (const error of [...new Set(errors)].slice(0, 5)) report.say(`error: ${error}`);
  report.budget(`issue 7: errors with ${PEOPLE} sessions at once on ${store}`, 0, errors.length, "count");
}

function each(bytes: number, before: number): number {
  return (bytes - before) / PEOPLE;
}

await main(gateway);
