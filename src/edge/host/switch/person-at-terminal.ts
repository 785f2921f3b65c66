import { closeSync, openSync, readlinkSync } from "node:fs";
import { type AgentAround, agentOf, insideAgent, markedAgent } from "../trust/inside-agent.ts";
import { type ProcessRow, type ProcessTable, processTable } from "./process-table.ts";

/**
 * Is a person at this terminal, as far as a program of the same account can tell? `proof` is written to the journal.
 */
export type PersonAtTerminal =
  | { readonly kind: "person"; readonly proof: string }
  | { readonly kind: "nobody"; readonly why: string };

/** Terminal emulators and login programs. */
const TERMINALS: ReadonlySet<string> = new Set(
  (
    "sshd sshd-session sshd-auth dropbear mosh-server login agetty getty mingetty wslhost " +
    "gnome-terminal-server gnome-terminal konsole yakuake kitty alacritty wezterm-gui wezterm ghostty foot footserver rio " +
    "xterm uxterm urxvt rxvt rxvt-unicode st tilix tilda xfce4-terminal mate-terminal lxterminal qterminal terminology " +
    "ptyxis ptyxis-agent kgx gnome-console blackbox contour warp hyper tabby deepin-terminal cool-retro-term ttyd " +
    "terminal iterm2 iterm itermserver code code-insiders codium cursor windsurf zed zed-editor idea pycharm webstorm goland"
  ).split(" "),
);

/**
 * Terminals that a person attaches to from another one. An agent can start these, so a person's client must be
 * attached.
 */
const MULTIPLEXERS: ReadonlySet<string> = new Set(["tmux", "screen", "zellij", "dtach", "abduco"]);

/** Terminals written in Python, identified by the installed script. */
const SCRIPTS: ReadonlySet<string> = new Set(["/usr/bin/terminator", "/usr/bin/guake"]);

export type PersonWorld = {
  readonly pid: number;
  inside(): AgentAround | undefined;
  /** Are stdin and stderr terminals, and can the controlling terminal be opened? */
  atTerminal(): boolean;
  terminalName(): string;
  processes(): ProcessTable;
};

/**
 * Looks for a person: a controlling terminal without an agent, opened by a program that people use. A pseudo-terminal
 * that an agent creates (`script`, Python's `pty`) has no such parent, even after `setsid`. Limit: an agent of the
 * same account can run a copy of such a program under its name.
 */
export function personAtTerminal(world: PersonWorld = thisProcess()): PersonAtTerminal {
  const around = world.inside();
  if (around !== undefined) return nobody(`${around.agent} runs this (${around.sign})`);
  if (!world.atTerminal()) return nobody("it does not run in a terminal");
  const table = world.processes();
  const own = table.rows.get(world.pid);
  if (own === undefined || own.tty === "") return nobody("it has no controlling terminal");
  if (own.group !== own.foreground) return nobody("it runs in the background of its terminal");
  const agent = agentAt(own, table);
  if (agent !== undefined) return nobody(agent);
  const host = hostOf(own, table);
  if (host === undefined) return nobody("no terminal program or login is among its parent processes");
  return { kind: "person", proof: `at ${world.terminalName()} under ${host}` };
}

/** Describes an agent in this terminal or among the parent processes. */
function agentAt(own: ProcessRow, table: ProcessTable): string | undefined {
  const above = new Set(ancestors(own, table).map(({ pid }) => pid));
  for (const row of table.rows.values()) {
    const isHere = row.tty === own.tty || (own.session !== 0 && row.session === own.session);
    if (row.pid === own.pid || !(isHere || above.has(row.pid))) continue;
    const agent = agentOf(row.words) ?? markedAgent(table.environment(row.pid))?.agent;
    if (agent !== undefined) {
      return isHere
        ? `${agent} runs in this terminal (process ${row.pid})`
        : `its parent process ${row.pid} is ${agent}`;
    }
  }
  return undefined;
}

function ancestors(own: ProcessRow, { rows }: ProcessTable): readonly ProcessRow[] {
  const found: ProcessRow[] = [];
  for (let row = rows.get(own.parent); row !== undefined && !found.includes(row); row = rows.get(row.parent)) {
    found.push(row);
  }
  return found;
}

/** The program that opened the terminal, for the journal; `undefined` if no parent is such a program. */
function hostOf(own: ProcessRow, table: ProcessTable, isClient = false): string | undefined {
  const above = ancestors(own, table);
  for (const row of above) {
    const name = row.program.toLowerCase();
    if (TERMINALS.has(name) || row.words.slice(1).some((word) => SCRIPTS.has(word))) return row.program;
    if (MULTIPLEXERS.has(name)) return !isClient && hasClient(row, table) ? row.program : undefined;
  }
  // In a container: its first process has this terminal, or the terminal was opened from outside (docker exec).
  const [leader] = above.filter(({ pid }) => pid === own.session);
  const isOutermost = leader !== undefined && (leader.pid === 1 || leader.parent === 0);
  return isOutermost && leader.tty === own.tty ? "the container's terminal" : undefined;
}

/** Is a client attached to the multiplexer, from a terminal that itself belongs to a person? */
function hasClient({ pid, program, tty }: ProcessRow, table: ProcessTable): boolean {
  return [...table.rows.values()].some(
    (row) =>
      row.program === program &&
      row.pid !== pid &&
      row.tty !== "" &&
      row.tty !== tty &&
      agentAt(row, table) === undefined &&
      hostOf(row, table, true) !== undefined,
  );
}

function nobody(why: string): PersonAtTerminal {
  return { kind: "nobody", why };
}

function thisProcess(): PersonWorld {
  return {
    pid: process.pid,
    inside: insideAgent,
    atTerminal: () => process.stdin.isTTY === true && process.stderr.isTTY === true && opensTerminal(),
    terminalName() {
      try {
        return readlinkSync("/proc/self/fd/0").replace(/^\/dev\//, "");
      } catch {
        return "a terminal";
      }
    },
    processes: processTable,
  };
}

function opensTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r+"));
    return true;
  } catch {
    return false;
  }
}
