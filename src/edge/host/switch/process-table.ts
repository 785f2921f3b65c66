import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/** A process of this machine. `tty` is "" without a terminal. */
export type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The terminal's foreground process group. */
  readonly foreground: number;
  readonly session: number;
  readonly tty: string;
  /** File name of the executable, or the kernel's process name if that cannot be read. */
  readonly program: string;
  readonly words: readonly string[];
};

export type ProcessTable = {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  /** Initial environment of a process; empty if it cannot be read. */
  environment(pid: number): NodeJS.ProcessEnv;
};

export function processTable(): ProcessTable {
  const rows = process.platform === "linux" ? rowsOfProc() : rowsOfPs();
  return { rows: new Map(rows.map((row) => [row.pid, row])), environment };
}

function rowsOfProc(): readonly ProcessRow[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (rowOfProc(name) ?? []) : []));
}

/** One process of Linux; `undefined` if it has ended. */
export function rowOfProc(pid: string): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name is in parentheses and may contain some itself, so the fields start after the last one.
    const end = stat.lastIndexOf(")");
    const [, parent, group, session, tty, foreground] = stat.slice(end + 2).split(" ");
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replace(/\0$/, "").split("\0");
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      foreground: Number(foreground),
      session: Number(session),
      tty: tty === "0" ? "" : String(tty),
      program: programOf(pid) ?? stat.slice(stat.indexOf("(") + 1, end),
      words,
    };
  } catch {
    return undefined;
  }
}

function programOf(pid: string): string | undefined {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ""));
  } catch {
    return undefined;
  }
}

function environment(pid: number): NodeJS.ProcessEnv {
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return Object.fromEntries(pairs.map((pair) => [pair.replace(/=.*$/s, ""), pair.replace(/^[^=]*=/, "")]));
  } catch {
    return {};
  }
}

/** `ps` on macOS and the BSDs does not report the session, so the terminal is used instead. */
function rowsOfPs(): readonly ProcessRow[] {
  const fields = "pid=,ppid=,pgid=,tpgid=,tty=,comm=";
  const { stdout = "" } = spawnSync("ps", ["-axo", fields], { encoding: "utf8" });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, group, foreground, tty = "", program = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined) return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      foreground: Number(foreground),
      session: 0,
      tty: tty.startsWith("?") ? "" : tty,
      program: basename(program.replace(/^-/, "")),
      words: [program],
    };
  });
}
