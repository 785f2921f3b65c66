import { spawnSync } from "node:child_process";
import { type ProcessRow, rowOfProc } from "../switch/process-table.ts";
import { agentOf, markedAgent } from "./inside-agent.ts";

/** An agent's terminal program. `marker` is a variable that it sets for its hooks too. */
export type TerminalAgent = {
  readonly agent: string;
  /** Commands and options with which nobody types. A prompt that is one of these words alone counts as one too. */
  readonly headless: ReadonlySet<string>;
  readonly marker?: string;
};

export const CODEX_TERMINAL: TerminalAgent = {
  agent: "Codex",
  headless: new Set(
    "exec e review app-server app mcp-server mcp exec-server proto cloud cloud-tasks debug remote-control".split(" "),
  ),
};

export const GEMINI_TERMINAL: TerminalAgent = {
  agent: "Gemini CLI",
  headless: new Set(["-p", "--prompt", "--acp", "--experimental-acp"]),
};

export const COPILOT_TERMINAL: TerminalAgent = {
  agent: "Copilot CLI",
  headless: new Set(["-p", "--prompt", "--acp", "--server", "--headless"]),
  marker: "COPILOT_CLI",
};

export const CURSOR_TERMINAL: TerminalAgent = {
  agent: "Cursor",
  headless: new Set(["-p", "--print", "--background", "-b"]),
  marker: "CURSOR_AGENT",
};

const DEEPEST = 64;

type Seen = Pick<ProcessRow, "parent" | "group" | "foreground" | "tty" | "words">;

/**
 * Does a person type in the agent that runs this hook? True if the nearest one above is its terminal program in the
 * foreground of a terminal, and no other agent is above it. If in doubt, false.
 */
export function isTypedIn(
  { agent: wanted, headless, marker = "" }: TerminalAgent,
  env: NodeJS.ProcessEnv = process.env,
  seen: (pid: number) => Seen | undefined = seeProcess,
  start: number = process.ppid,
): boolean {
  if (markedAgent({ ...env, [marker]: undefined }) !== undefined) return false;
  let typed: Seen | undefined;
  let pid = start;
  for (let depth = 0; depth < DEEPEST && pid > 0; depth++) {
    const row = seen(pid);
    if (row === undefined) break;
    const agent = agentOf(row.words);
    if (agent !== undefined) {
      // The launcher of the agent is a second process of the same job.
      const isLauncher = typed !== undefined && agent === wanted && row.group === typed.group;
      if (agent !== wanted || (typed !== undefined && !isLauncher) || !isInTerminal(row, headless)) return false;
      typed ??= row;
    }
    pid = row.parent;
  }
  return typed !== undefined;
}

function isInTerminal({ tty, group, foreground, words }: Seen, headless: ReadonlySet<string>): boolean {
  return tty !== "" && group === foreground && !words.slice(1).some((word) => headless.has(word.replace(/=.*/, "")));
}

function seeProcess(pid: number): Seen | undefined {
  return process.platform === "linux" ? rowOfProc(String(pid)) : seeWithPs(pid);
}

function seeWithPs(pid: number): Seen | undefined {
  const fields = "ppid=,pgid=,tpgid=,tty=,command=";
  const { stdout = "" } = spawnSync("ps", ["-o", fields, "-p", String(pid)], { encoding: "utf8" });
  const [, parent, group, foreground, tty = "", command = ""] =
    /^\s*(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(.*)$/m.exec(stdout) ?? [];
  if (parent === undefined) return undefined;
  return {
    parent: Number(parent),
    group: Number(group),
    foreground: Number(foreground),
    tty: tty.startsWith("?") ? "" : tty,
    words: command.split(/\s+/),
  };
}
