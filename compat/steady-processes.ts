import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that lasts from turn to turn. `probed` ones are Node, and were started with `probedEnv` or `probeArgs`. */
export type SteadyProcess = { readonly name: string; readonly pid: number; readonly probed?: boolean };

/** What a process holds; bytes. Heap (after its garbage was collected) and handles only where it can be asked. */
export type Held = { readonly rss: number; readonly fds: number; readonly heap?: number; readonly handles?: number };

const PROBE = join(import.meta.dirname, "steady-probe.ts");
const folder = mkdtempSync(join(tmpdir(), "conduct-probes-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const PATIENCE_MS = 30_000;

export const probeArgs: readonly string[] = ["--disable-warning=ExperimentalWarning", "--import", PROBE];
/** For a process whose command line is not ours. */
export const probedEnv: NodeJS.ProcessEnv = {
  CONDUCT_PROBES: folder,
  NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${PROBE}`,
};
export const probesFolder: NodeJS.ProcessEnv = { CONDUCT_PROBES: folder };

export async function heldBy({ pid, probed }: SteadyProcess): Promise<Held> {
  const asked = probed === true ? await ask(pid) : {};
  return { rss: residentOf(pid), fds: readdirSync(`/proc/${pid}/fd`).length, ...asked };
}

/** Of a program that starts another in its place: the process of its tree that has most in memory. */
export function heaviestOf(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  const tree = [pid, ...children.map(heaviestOf)];
  return tree.reduce((heaviest, one) => (residentOf(one) > residentOf(heaviest) ? one : heaviest));
}

function residentOf(pid: number): number {
  const [, pages = "0"] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  return Number(pages) * 4_096;
}

async function ask(pid: number): Promise<Pick<Held, "heap" | "handles">> {
  const file = join(folder, String(pid));
  rmSync(file, { force: true });
  process.kill(pid, "SIGPWR");
  const until = performance.now() + PATIENCE_MS;
  while (!existsSync(file)) {
    if (performance.now() > until) throw new Error(`process ${pid} does not tell what it holds`);
    await sleep(10);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}
