/** Not imported, because loading all of a module takes long. Hooks load this module. */
const { readdirSync, readFileSync, readlinkSync } = process.getBuiltinModule("node:fs");
const { basename } = process.getBuiltinModule("node:path");

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
  /** When it started, so that a later process with the same id is not taken for it. Later ones compare greater. */
  readonly started: string;
};

export type ProcessTable = {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  /** Initial environment of a process; empty if it cannot be read. */
  environment(pid: number): NodeJS.ProcessEnv;
  /** The control group, in which all stay that a process starts; "" where there is none. */
  scope(pid: number): string;
};

export function processTable(): ProcessTable {
  const rows = process.platform === "linux" ? rowsOfProc() : rowsOfPs();
  return { rows: new Map(rows.map((row) => [row.pid, row])), environment, scope };
}

export function rowOf(pid: number): ProcessRow | undefined {
  return process.platform === "linux" ? rowOfProc(String(pid)) : rowsOfPs(["-p", String(pid)])[0];
}

function scope(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "utf8");
  } catch {
    return "";
  }
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
    const fields = stat.slice(end + 2).split(" ");
    const [, parent, group, session, tty, foreground] = fields;
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
      started: String(fields[19]).padStart(20, "0"),
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
function rowsOfPs(which: readonly string[] = ["-ax"]): readonly ProcessRow[] {
  const fields = "pid=,ppid=,pgid=,tpgid=,tty=,lstart=,comm=";
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const asked = { encoding: "utf8", env: { ...process.env, LC_ALL: "C" } } as const;
  const { stdout = "" } = spawnSync("ps", [...which, "-o", fields], asked);
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, group, foreground, tty = "", at = "", program = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(\w+ +\w+ +\d+ [\d:]+ \d+)\s+(.*)$/.exec(line) ?? [];
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
      started: String(Date.parse(at)).padStart(20, "0"),
    };
  });
}
