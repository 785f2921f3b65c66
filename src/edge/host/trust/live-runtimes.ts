import { type ProcessRow, rowOf } from "../switch/process-table.ts";
import { replaceFile } from "../workspace/own-files.ts";

/** Not imported, because loading all of `node:fs` takes as long as reading a file. Hooks load this module. */
const { readdirSync, readFileSync, rmSync } = process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");

/** Runtimes that run now, by process id. Names are like `claude-code`. */
export type LiveRuntimes = ReadonlyMap<number, { readonly runtime: string; readonly started: string }>;

const folderOf = (home: string) => join(home, "runtimes");
const noted = new Set<string>();

/**
 * Notes that a process is a runtime, whatever it is called, so that no command below it counts as a person's. `pid` is
 * the runtime's own; without one it is found above this process, which is a hook.
 */
export function noteRuntime(home: string, runtime: string, pid: number | undefined = runtimeAbove()): void {
  const key = `${home}\0${pid}`;
  if (pid === undefined || noted.has(key)) return;
  noted.add(key);
  try {
    const started = rowOf(pid)?.started;
    const [file, text] = [join(folderOf(home), String(pid)), `${runtime}\t${started}\n`];
    if (started !== undefined && readText(file) !== text) replaceFile(file, text);
  } catch {
    // The names of programs and their variables still tell an agent.
  }
}

/** The runtimes noted under `home` that still run. Removes the notes of those that have ended. */
export function liveRuntimes(home: string, row: (pid: number) => ProcessRow | undefined = rowOf): LiveRuntimes {
  const live = new Map<number, { runtime: string; started: string }>();
  for (const name of namesIn(folderOf(home))) {
    const file = join(folderOf(home), name);
    const [runtime = "", started = ""] = readText(file).trim().split("\t");
    if (started !== "" && row(Number(name))?.started === started) live.set(Number(name), { runtime, started });
    else rmSync(file, { force: true });
  }
  return live;
}

/** A runtime starts a hook through shells and the launcher; the first other process above is the runtime. */
function runtimeAbove(): number | undefined {
  let pid = process.ppid;
  for (let depth = 0; depth < 8 && pid > 1; depth++) {
    const row = rowOf(pid);
    if (row === undefined) return undefined;
    if (!row.words.includes("-c") && !row.words.some((word) => word === "hook" || / hook /.test(word))) return pid;
    pid = row.parent;
  }
  return undefined;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
