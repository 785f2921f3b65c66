import { spawnSync } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { parseArgs } from "node:util";
import { keepsGrowing, slopeOf } from "../bench/growth.ts";
import { show, table } from "../bench/show.ts";
import type { Steady, SteadyOptions } from "./steady.ts";
import { type Held, heldBy } from "./steady-processes.ts";

/**
 * Many turns of one conversation in each real runtime, and what the processes hold after each that last:
 *   node compat/soak.ts [NAME…] [--turns 30] [--calls 3] [--without]
 * `daemon` is the daemon without a runtime. Conduct's is the daemon, the proxy, or the process that hosts it; `--without` runs the same without Conduct. Exits non-zero when open
 * files or handles of any of them keep growing. How memory changes is told, after the first third of the turns.
 */
const NAMES = ["pi", "pi-extension", "claude", "claude-code", "codex", "opencode", "openclaw", "acp", "mcp", "daemon"];

/** Looking takes longer than a turn: in many turns it is done so often. */
const LOOKS = 30;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    turns: { type: "string", default: "30" },
    calls: { type: "string", default: "3" },
    without: { type: "boolean", default: false },
    /** In this process: each runtime has one of its own, so that none holds what another left. */
    here: { type: "boolean", default: false },
  },
});
const unknown = positionals.find((name) => !NAMES.includes(name));
if (unknown !== undefined) {
  console.error(`there is no runtime '${unknown}' here; there are ${NAMES.join(", ")}`);
  process.exit(1);
}

if (values.here) await soak(positionals[0] ?? "");
else {
  const wanted = NAMES.filter((name) => positionals.length === 0 || positionals.includes(name));
  const options = ["--turns", values.turns, "--calls", values.calls, ...(values.without ? ["--without"] : [])];
  for (const name of wanted) {
    const args = ["--expose-gc", "--disable-warning=ExperimentalWarning", import.meta.filename, name, "--here"];
    const { status } = spawnSync(process.execPath, [...args, ...options], { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
}

async function soak(name: string): Promise<void> {
  const { openSteady }: { readonly openSteady: (options: SteadyOptions) => Promise<Steady> } = await import(
    join(import.meta.dirname, name, "steady.ts")
  );
  const steady = await openSteady({ calls: Number(values.calls), under: values.without ? "nothing" : "conduct" });
  const processes = steady.processes.length === 0 ? [{ name: "this process", pid: process.pid }] : steady.processes;
  const held = processes.map((): Held[] => []);
  const turns = Number(values.turns);
  const every = Math.max(1, Math.floor(turns / LOOKS));
  try {
    for (let turn = 1; turn <= turns; turn += 1) {
      await steady.turn();
      if (turn % every > 0) continue;
      for (const [at, one] of processes.entries()) held[at]?.push(await look(one));
    }
  } finally {
    await steady.close();
  }
  const under = values.without ? "without Conduct" : "with Conduct";
  console.log(`\n${name}, ${under}: ${values.turns} turns of ${values.calls} calls (load ${loadavg()[0]?.toFixed(1)})`);
  const rows = processes.map((one, at) => rowOf(one.name, held[at] ?? [], every));
  console.log(table(["process", "heap", "a turn", "resident", "a turn", "open files", "handles", ""], rows));
  if (rows.some((row) => row.at(-1) !== "")) process.exitCode = 1;
}

/** Of this process itself what it can tell without being asked. */
async function look(one: Steady["processes"][number]): Promise<Held> {
  const held = await heldBy(one);
  if (one.pid !== process.pid) return held;
  for (let i = 0; i < 3; i += 1) {
    globalThis.gc?.();
    await breathe();
  }
  return { ...held, heap: process.memoryUsage().heapUsed, handles: process.getActiveResourcesInfo().length };
}

function rowOf(name: string, held: readonly Held[], every: number): readonly string[] {
  const fds = held.map((one) => one.fds);
  const handles = held.flatMap((one) => one.handles ?? []);
  const heaps = held.flatMap((one) => one.heap ?? []);
  const grows = [...(keepsGrowing(fds) ? ["OPEN FILES GROW"] : []), ...(keepsGrowing(handles) ? ["HANDLES GROW"] : [])];
  const memory = (bytes: readonly number[]) => [fromTo(bytes), bytes.length === 0 ? "-" : change(bytes, every)];
  const counts = [countsOf(fds), countsOf(handles)];
  return [name, ...memory(heaps), ...memory(held.map(({ rss }) => rss)), ...counts, grows.join(", ")];
}

function settled<T>(values: readonly T[]): readonly T[] {
  return values.slice(Math.floor(values.length / 3));
}

function fromTo(bytes: readonly number[]): string {
  const [first, last] = [settled(bytes)[0], bytes.at(-1)];
  return first === undefined || last === undefined ? "-" : `${show(first, "bytes")} to ${show(last, "bytes")}`;
}

/** By turn, however seldom it was looked at. */
function change(bytes: readonly number[], every: number): string {
  const slope = slopeOf(settled(bytes)) / every;
  return `${slope < 0 ? "-" : "+"}${show(Math.abs(slope), "bytes")}`;
}

function countsOf(counts: readonly number[]): string {
  const late = settled(counts);
  if (late.length === 0) return "-";
  const [least, most] = [Math.min(...late), Math.max(...late)];
  return least === most ? String(least) : `${least} to ${most}`;
}
