import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Person, SAID } from "./gateway-load.ts";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.ts";
import { machine, machineLine } from "./report.ts";
import { show } from "./show.ts";
import { quantile } from "./statistics.ts";

/**
 * `npm run bench:soak [-- --minutes N --people N]`: people talk to a gateway on SQLite, read what the console shows,
 * delete their conversations and start new ones. Exits with 1 on an error, if memory grows, or if a handle is left.
 */

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "30" }, people: { type: "string", default: "200" } },
});
const [minutes, count] = [Number(values.minutes), Number(values.people)];
if (!(minutes > 0) || !(count > 0)) throw new Error("--minutes and --people are numbers greater than 0");

/** Turns before a person deletes the conversation and starts another. */
const TURNS = 10;
/** The pause of a person between two messages, in milliseconds. */
const PAUSE_MS = 3_000;
const SAMPLES = 12;
/** How much more heap the last third of the samples may use than the middle third. The first third fills caches. */
const GROWTH = 1.1;

type Done = { turns: number; readonly times: number[]; readonly errors: string[] };
type Sample = Awaited<ReturnType<GatewayProcess["used"]>>;

/** One conversation from its start to its deletion. */
async function converse(url: string, token: string, until: number, done: Done): Promise<void> {
  const person = new Person(url, token);
  try {
    await person.open();
    await person.follow();
    for (let at = 0; at < TURNS && performance.now() < until; at++) {
      await person.say(SAID[at % SAID.length] ?? "hello");
      done.turns += 1;
      if (at % 4 === 3) await person.look();
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
    await person.leave();
    await person.remove();
  } catch (error) {
    done.errors.push(String(error));
    await person.leave();
  }
  for (const { time } of person.turns) done.times.push(time);
  done.errors.push(...person.errors);
}

async function main(): Promise<number> {
  console.log(machineLine(machine()));
  console.log(`${count} people for ${minutes} minutes\n`);
  const server = await startGatewayProcess(count);
  const done: Done = { turns: 0, times: [], errors: [] };
  try {
    const talkAll = (until: number, each: readonly string[]) =>
      Promise.all(
        each.map(async (token, at) => {
          // They do not come all at once.
          await sleep((PAUSE_MS * at) / each.length);
          while (performance.now() < until) await converse(server.url, token, until, done);
        }),
      );
    // One conversation loads all code and opens the files that stay open.
    await talkAll(performance.now() + 1, server.tokens.slice(0, 1));
    const before = await server.used();
    const began = performance.now();
    const talking = talkAll(began + minutes * 60_000, server.tokens);
    const samples: Sample[] = [];
    for (let at = 1; at <= SAMPLES; at++) {
      await sleep(Math.max(0, began + (at * minutes * 60_000) / (SAMPLES + 1) - performance.now()));
      samples.push(await server.used());
      print(began, samples.at(-1) ?? before, done);
    }
    await talking;
    // Connections of people who left are closed when they have been idle for a moment.
    await sleep(10_000);
    const after = await server.used();
    print(began, after, done);
    const faults = faultsOf(samples, before, after, done);
    const cpu = (after.cpu - before.cpu) / Math.max(1, done.turns);
    const written = (after.written - before.written) / Math.max(1, done.turns);
    console.log(`\na turn: ${show(cpu, "time")} of processor time, ${show(written, "bytes")} written`);
    const [p50, p99] = [quantile(done.times, 0.5), quantile(done.times, 0.99)];
    console.log(`a turn from message to end: p50 ${show(p50, "time")}, p99 ${show(p99, "time")}`);
    for (const fault of faults) console.log(`FAILED: ${fault}`);
    if (faults.length === 0) console.log("Memory is flat, no error, no handle left.");
    return faults.length === 0 ? 0 : 1;
  } finally {
    await server.end();
  }
}

function print(began: number, { heap, rss, handles }: Sample, { turns, errors }: Done): void {
  const at = `${((performance.now() - began) / 60_000).toFixed(1)} min`.padStart(9);
  const open = Object.values(handles).reduce((sum, some) => sum + some, 0);
  console.log(
    `${at}  heap ${show(heap, "bytes")}, resident ${show(rss, "bytes")}, ${open} handles, ${turns} turns, ${errors.length} errors`,
  );
}

function faultsOf(samples: readonly Sample[], before: Sample, after: Sample, done: Done): readonly string[] {
  const third = SAMPLES / 3;
  const heapOf = (some: readonly Sample[]) =>
    quantile(
      some.map(({ heap }) => heap),
      0.5,
    );
  const [middle, last] = [heapOf(samples.slice(third, -third)), heapOf(samples.slice(-third))];
  const grown = last > middle * GROWTH ? [`the heap grew from ${show(middle, "bytes")} to ${show(last, "bytes")}`] : [];
  const left = Object.entries(after.handles).flatMap(([kind, some]) => {
    const more = some - (before.handles[kind] ?? 0);
    // A request that is under way ends by itself.
    if (/Req/.test(kind)) return [];
    // A timer is not a leak by itself, and the pool of threads opens files as it needs them.
    return more > (kind === "Timeout" ? 5 : 2) ? [`${more} more handles of kind ${kind} than before`] : [];
  });
  const none = done.turns === 0 ? ["no turn ended"] : [];
  return [...none, ...[...new Set(done.errors)].slice(0, 5), ...grown, ...left];
}

process.exit(await main());
