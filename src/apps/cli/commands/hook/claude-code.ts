import { appendFileSync, existsSync } from "node:fs";
import { parseObject } from "../../../../base/kernel/json.ts";
import { startClaudeCode } from "../../../../edge/adapters/claude-code/start-command.ts";
import { type DaemonHello, ensureDaemon, helloDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { readDaemonSettings } from "../../../../edge/host/daemon/daemon-settings.ts";
import { NoDaemonError } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { gatePlace, gateScript } from "../../../../edge/host/gate/gate-place.ts";
import { readStdin } from "../../../../edge/host/node/read-stdin.ts";
import { noteRuntime } from "../../../../edge/host/trust/live-runtimes.ts";
import { failureRule, isWatched, warnOnce } from "../../../../edge/host/watched/failure-rule.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { HookClaudeCodeArgs } from "../../declared/setup-commands.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { ranByPerson } from "./ran-by-person.ts";

/** Shorter than Claude Code's timeout for the command. */
const POST_MS = 45_000;

/** `conduct hook claude-code [--part N]`: Claude Code runs it before its HTTP hooks, to start the daemon. */
export async function hookClaudeCode({ part }: HookClaudeCodeArgs, { invocation }: Terminal): Promise<Outcome> {
  if (process.stdin.isTTY) return done({}, `\n${ranByPerson("Claude Code", `${invocation} doctor claude-code`)}\n\n`);
  const home = conductHome();
  const watched = isWatched(home, "claude-code");
  const event = readStdin();
  noteRuntime(home, "claude-code");
  await putGate(home, event);
  const { exitCode, stdout, stderr } = await startClaudeCode(event, Number(part ?? 1), {
    ensure: () => ensure(home),
    post: (event, at) => post(home, event, at),
    watched,
  });
  if (exitCode === 0) return done({}, stdout);
  // Without a daemon Claude Code's own hooks block; in shadow mode or during a pause, nothing blocks.
  if (failureRule(home, "claude-code") === "pass") {
    const systemMessage = watched ? warnOnce(home, "claude-code", stderr.replace(/\.$/, "")) : undefined;
    const text = systemMessage === undefined ? "" : JSON.stringify({ systemMessage });
    return done({}, text);
  }
  const fix = "conduct daemon status";
  return failed("HOOK_FAILED", stderr, fix, { exitCode });
}

/** Claude Code runs this file before each command of the session. Only a SessionStart hook is given one. */
async function putGate(home: string, text: string): Promise<void> {
  const { hook_event_name: name, session_id: session } = parseObject(text) ?? {};
  const { CLAUDE_ENV_FILE: file = "" } = process.env;
  if (file === "" || name !== "SessionStart" || typeof session !== "string") return;
  try {
    // The programs on the PATH of Claude Code may be others than those at `conduct init`.
    // Imported lazily: most hooks do not need it, and every import delays them.
    const { writeGate } = await import("../../../../edge/host/gate/gate-files.ts");
    if (existsSync(gatePlace(home).bin)) writeGate(home);
    appendFileSync(file, gateScript(home, session));
  } catch {
    // Its commands are then not gated when they start programs; their text still is.
  }
}

async function ensure(home: string): Promise<"there" | "started"> {
  const there = await helloDaemon(home).catch((error: unknown) => {
    if (error instanceof NoDaemonError) return undefined;
    throw error;
  });
  const daemon = await ensureDaemon(home);
  if (daemon.port === undefined) throw new Error(httpFault(daemon));
  return there?.pid === daemon.pid ? "there" : "started";
}

function httpFault({ httpFault = "no reason given" }: DaemonHello): string {
  return `it cannot be reached over HTTP (${httpFault}); stop the program on its port, then run conduct daemon stop`;
}

/** Posts like one of Claude Code's HTTP hooks, with the data from its environment. */
async function post(home: string, event: object, part: number): Promise<unknown> {
  const settings = readDaemonSettings(daemonPlace(home).settings);
  if (settings?.port === undefined) throw new Error("the daemon has no port");
  const response = await fetch(
    `http://127.0.0.1:${settings.port}/hooks/claude-code${part > 1 ? `?part=${part}` : ""}`,
    {
      method: "POST",
      headers: {
        authorization: `Bearer ${settings.token}`,
        "content-type": "application/json",
        "x-conduct-entrypoint": process.env.CLAUDE_CODE_ENTRYPOINT ?? "",
      },
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(POST_MS),
    },
  );
  if (!response.ok) throw new Error(`the daemon answered with ${response.status}: ${await response.text()}`);
  return response.json();
}
