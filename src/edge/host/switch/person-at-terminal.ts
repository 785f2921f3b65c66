import { closeSync, openSync, readlinkSync } from "node:fs";
import { type AgentAround, agentOf, insideAgent, markedAgent } from "../trust/inside-agent.ts";
import { type LiveRuntimes, liveRuntimes } from "../trust/live-runtimes.ts";
import { conductHome } from "../workspace/conduct-home.ts";
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

/** Terminals that a person attaches to from another one. They run on without a client. */
const MULTIPLEXERS: ReadonlySet<string> = new Set(["tmux", "screen", "zellij", "dtach", "abduco"]);

/** Terminals of interpreters: an installed script, and the servers of editors that people open from elsewhere. */
const SCRIPTS =
  /^\/usr\/bin\/(?:terminator|guake)$|\/\.(?:vscode|cursor|windsurf|vscodium|positron)[\w-]*-server[\w-]*\/|\/code-server\/|\/(?:jupyter|ttyd|wetty)\b/;

/** Programs that make a terminal for another program. A person starts them in a terminal, which is then the person's. */
const MAKERS =
  /^(?:script|scriptlive|expect|unbuffer|socat|faketty|node|nodejs|bun|deno|python[\d.]*|perl[\d.]*|ruby[\d.]*|php[\d.]*|(?:ba|da|z|k|c|tc|fi)?sh|init|systemd|launchd|setsid|nohup|env|timeout|conduct)$/;

export type PersonWorld = {
  readonly pid: number;
  inside(): AgentAround | undefined;
  /** Are stdin and stderr terminals, and can the controlling terminal be opened? */
  atTerminal(): boolean;
  terminalName(): string;
  processes(): ProcessTable;
  /** The runtimes that have asked Conduct, by process id, whatever they are called. */
  runtimes(): LiveRuntimes;
};

/**
 * Looks for a person: a controlling terminal that no agent is in or above, and that no agent can have made. A
 * pseudo-terminal that a program creates (`script`, Python's `pty`) is a person's if the program itself runs in one.
 * A terminal whose maker is unknown, or a multiplexer without a client, counts unless a runtime may have started it.
 * Limit: an agent of the same account can run a copy of a terminal under its name.
 */
export function personAtTerminal(world: PersonWorld = thisProcess()): PersonAtTerminal {
  const around = world.inside();
  if (around !== undefined) return nobody(`${around.agent} runs this (${around.sign})`);
  if (!world.atTerminal()) return nobody("it does not run in a terminal");
  const table = world.processes();
  const own = table.rows.get(world.pid);
  if (own === undefined || own.tty === "") return nobody("it has no controlling terminal");
  if (own.group !== own.foreground) return nobody("it runs in the background of its terminal");
  const live = world.runtimes();
  const agent = agentAt(own, table, live);
  if (agent !== undefined) return nobody(agent);
  const host = hostOf(own, table, live);
  return "why" in host ? nobody(host.why) : { kind: "person", proof: `at ${world.terminalName()} under ${host.name}` };
}

/** Describes an agent in this terminal, in one that it was made in, or among the parent processes. */
function agentAt(own: ProcessRow, table: ProcessTable, live: LiveRuntimes): string | undefined {
  const all = ancestors(own, table);
  const above = new Set(all.map(({ pid }) => pid));
  const end = all.findIndex(isTerminal);
  const ttys = new Set([own, ...(end < 0 ? all : all.slice(0, end))].map(({ tty }) => tty).filter((tty) => tty !== ""));
  for (const row of table.rows.values()) {
    const isHere = ttys.has(row.tty) || (own.session !== 0 && row.session === own.session);
    if (row.pid === own.pid || !(isHere || above.has(row.pid))) continue;
    const agent = agentOf(row.words) ?? live.get(row.pid)?.runtime ?? markedAgent(table.environment(row.pid))?.agent;
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

function isTerminal({ program, words }: ProcessRow): boolean {
  return TERMINALS.has(program.toLowerCase()) || words.slice(1).some((word) => SCRIPTS.test(word));
}

function isMultiplexer({ program }: ProcessRow): boolean {
  return MULTIPLEXERS.has(program.toLowerCase());
}

type Host = { readonly name: string } | { readonly why: string };

/** The program that made the terminal, for the journal; or why it may not be a person's. */
function hostOf(own: ProcessRow, table: ProcessTable, live: LiveRuntimes, isClient = false): Host {
  const above = ancestors(own, table);
  const first = above.find((row) => isTerminal(row) || isMultiplexer(row));
  if (first !== undefined && isTerminal(first)) return { name: first.program };
  const maker = first ?? above.find(({ tty }) => tty === "");
  if (maker === undefined) {
    // In a container: its first process has a terminal, or the terminal was opened from outside (docker exec).
    const top = [own, ...above].at(-1);
    const isOutermost = top !== undefined && (top.pid === 1 || top.parent === 0);
    return isOutermost ? { name: "the container's terminal" } : { why: NO_TERMINAL };
  }
  if (first === undefined ? MAKERS.test(maker.program) : isClient) return { why: NO_TERMINAL };
  const clients = first === undefined ? [] : clientsOf(first, table);
  if (clients.length > 0) {
    const isPerson = clients.some(
      (row) => agentAt(row, table, live) === undefined && "name" in hostOf(row, table, live, true),
    );
    return isPerson ? { name: maker.program } : { why: `no terminal of a person is attached to ${maker.program}` };
  }
  const [runtime] = [...live].filter(
    ([pid, { started }]) => started <= maker.started && table.scope(pid) === table.scope(maker.pid),
  );
  if (runtime === undefined) return { name: maker.program };
  const [pid, { runtime: name }] = runtime;
  return {
    why: `its terminal was made by ${maker.program}, which ${name} (process ${pid}) may have started; attach to it from your own terminal, or open another one`,
  };
}

const NO_TERMINAL = "no terminal program or login is among its parent processes";

function clientsOf({ pid, program, tty }: ProcessRow, { rows }: ProcessTable): readonly ProcessRow[] {
  return [...rows.values()].filter((row) => row.program === program && row.pid !== pid && !["", tty].includes(row.tty));
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
    runtimes: () => liveRuntimes(conductHome()),
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
