import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { type ProcessRow, rowOfProc } from "../switch/process-table.ts";
import { conductHome } from "../workspace/conduct-home.ts";
import { type LiveRuntimes, liveRuntimes } from "./live-runtimes.ts";

/** Variables set by runtimes for their agents' commands, and by Conduct for those of its sessions. */
const MARKERS: Readonly<Record<string, string>> = {
  CONDUCT_SESSION: "a session of Conduct",
  CONDUCT_GATE_SESSION: "a session of Conduct",
  CLAUDECODE: "Claude Code",
  CLAUDE_CODE_CHILD_SESSION: "Claude Code",
  CODEX_SANDBOX: "Codex",
  CODEX_SANDBOX_NETWORK_DISABLED: "Codex",
  CODEX_THREAD_ID: "Codex",
  OPENCODE: "OpenCode",
  OPENCODE_PID: "OpenCode",
  OPENCLAW_SHELL: "OpenClaw",
  CURSOR_AGENT: "Cursor",
  GEMINI_CLI: "Gemini CLI",
  COPILOT_CLI: "Copilot CLI",
  CLINE_ACTIVE: "Cline",
  PI_CODING_AGENT: "Pi",
};

const PROGRAMS: Readonly<Record<string, string>> = {
  claude: "Claude Code",
  "claude-code": "Claude Code",
  codex: "Codex",
  opencode: "OpenCode",
  openclaw: "OpenClaw",
  "cursor-agent": "Cursor",
  gemini: "Gemini CLI",
  copilot: "Copilot CLI",
  pi: "Pi",
  aider: "Aider",
  goose: "Goose",
};

/** Install paths of agents that run as a script of an interpreter. */
const PACKAGES: readonly (readonly [RegExp, string])[] = [
  [/\/@anthropic-ai\/claude-(code|agent-sdk)/, "Claude Code"],
  [/\/@openai\/codex/, "Codex"],
  [/\/opencode-ai\//, "OpenCode"],
  [/\/openclaw\//, "OpenClaw"],
  [/\/@google\/gemini-cli/, "Gemini CLI"],
  [/\/@github\/copilot/, "Copilot CLI"],
  [/\/cursor-agent\/versions\//, "Cursor"],
  [/\/pi-coding-agent\//, "Pi"],
];

const INTERPRETERS = /^(node|bun|deno|python[\d.]*|env|npx|tsx)$/;
const DEEPEST = 64;

/** The agent that runs a command, and the evidence. */
export type AgentAround = { readonly agent: string; readonly sign: string };

/** A process for this check: its parent and its argument list. */
export type ProcessSeen = Pick<ProcessRow, "parent" | "words">;

/**
 * Is this command run by an agent? Commands that change agents' rules must come from a person and refuse then. An
 * agent that wants to hide can: one account gives no isolation (see docs/reference/configuration.md).
 */
export function insideAgent(
  env: NodeJS.ProcessEnv = process.env,
  seen: (pid: number) => ProcessSeen | undefined = seeProcess,
  start: number = process.ppid,
  live: LiveRuntimes = liveRuntimes(conductHome(env)),
): AgentAround | undefined {
  const marked = markedAgent(env);
  if (marked !== undefined) return marked;
  let pid = start;
  for (let depth = 0; depth < DEEPEST && pid > 0; depth++) {
    const found = seen(pid);
    if (found === undefined) return undefined;
    const agent = agentOf(found.words) ?? live.get(pid)?.runtime;
    if (agent !== undefined) return { agent, sign: `its parent process ${pid} is ${agent}` };
    pid = found.parent;
  }
  return undefined;
}

export function markedAgent(env: NodeJS.ProcessEnv): AgentAround | undefined {
  for (const [name, agent] of Object.entries(MARKERS)) {
    if (env[name]) return { agent, sign: `the environment variable ${name} is set` };
  }
  return undefined;
}

/** Recognises an agent by the program's name, or by the script that an interpreter runs. */
export function agentOf(words: readonly string[]): string | undefined {
  const [program = "", ...rest] = words;
  const name = plainName(program);
  if (Object.hasOwn(PROGRAMS, name)) return PROGRAMS[name];
  if (!INTERPRETERS.test(name)) return undefined;
  const script = rest.find((word) => !word.startsWith("-")) ?? "";
  const byName = plainName(script);
  if (Object.hasOwn(PROGRAMS, byName)) return PROGRAMS[byName];
  return PACKAGES.find(([place]) => place.test(script))?.[1];
}

function plainName(path: string): string {
  return basename(path)
    .replace(/\.(exe|[cm]?[jt]s|py)$/i, "")
    .toLowerCase();
}

function seeProcess(pid: number): ProcessSeen | undefined {
  return process.platform === "linux" ? rowOfProc(String(pid)) : seeWithPs(pid);
}

function seeWithPs(pid: number): ProcessSeen | undefined {
  const { status, stdout } = spawnSync("ps", ["-o", "ppid=,command=", "-p", String(pid)], { encoding: "utf8" });
  const [, parent, command = ""] = /^\s*(\d+)\s+(.*)$/m.exec(stdout ?? "") ?? [];
  return status === 0 && parent !== undefined ? { parent: Number(parent), words: command.split(/\s+/) } : undefined;
}
