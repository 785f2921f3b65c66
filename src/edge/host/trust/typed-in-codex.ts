import { spawnSync } from "node:child_process";
import { type ProcessRow, rowOfProc } from "../switch/process-table.ts";
import { agentOf, markedAgent } from "./inside-agent.ts";

/** Commands of Codex in which nobody types. A prompt that is one of these words alone counts as one too. */
const HEADLESS: ReadonlySet<string> = new Set(
  "exec e review app-server app mcp-server mcp exec-server proto cloud cloud-tasks debug remote-control".split(" "),
);
const DEEPEST = 64;

type Seen = Pick<ProcessRow, "parent" | "group" | "foreground" | "tty" | "words">;

/**
 * Does a person type in the Codex that runs this hook? True if the nearest Codex above is its terminal program in the
 * foreground of a terminal, and no other agent is above it. If in doubt, false.
 */
export function isTypedInCodex(
  env: NodeJS.ProcessEnv = process.env,
  seen: (pid: number) => Seen | undefined = seeProcess,
  start: number = process.ppid,
): boolean {
  if (markedAgent(env) !== undefined) return false;
  let typed: Seen | undefined;
  let pid = start;
  for (let depth = 0; depth < DEEPEST && pid > 0; depth++) {
    const row = seen(pid);
    if (row === undefined) break;
    const agent = agentOf(row.words);
    if (agent !== undefined) {
      // The launcher of Codex is a second process of the same job.
      const isLauncher = typed !== undefined && agent === "Codex" && row.group === typed.group;
      if (agent !== "Codex" || (typed !== undefined && !isLauncher) || !isInTerminal(row)) return false;
      typed ??= row;
    }
    pid = row.parent;
  }
  return typed !== undefined;
}

function isInTerminal({ tty, group, foreground, words }: Seen): boolean {
  return tty !== "" && group === foreground && !words.slice(1).some((word) => HEADLESS.has(word));
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
