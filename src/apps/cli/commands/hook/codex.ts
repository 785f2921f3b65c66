import { pathToFileURL } from "node:url";
import { CALL_ANSWER_MS } from "../../../../edge/adapters/codex/hooks-json.ts";
import { askDaemon } from "../../../../edge/host/daemon/daemon-ask.ts";
import { sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { programFile } from "../../../../edge/host/node/package-files.ts";
import { readStdin } from "../../../../edge/host/node/read-stdin.ts";
import { noteRuntime } from "../../../../edge/host/trust/live-runtimes.ts";
import { isTypedInCodex } from "../../../../edge/host/trust/typed-in-codex.ts";
import {
  failureRule,
  isWatched,
  WATCHED_ANSWER_MS,
  WATCHED_STOP_MS,
  warnOnce,
} from "../../../../edge/host/watched/failure-rule.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { ranByPerson } from "./ran-by-person.ts";

export type HookStreams = {
  readonly input: () => string;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly env: NodeJS.ProcessEnv;
  /** Whether a person types in the Codex that runs this hook. */
  readonly isTyped?: () => boolean;
  /** Answers in this process when no daemon runs and none can be started. */
  readonly alone?: (home: string, event: unknown) => Promise<unknown>;
};

const PROCESS: HookStreams = {
  input: readStdin,
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  env: process.env,
  isTyped: isTypedInCodex,
  async alone(home, event) {
    // Imported by its path to stay out of the bundle, because it imports all of Conduct.
    const { href } = pathToFileURL(programFile("apps/cli/commands/hook/alone.ts", "hook-alone.mjs"));
    const { answerAlone } = (await import(href)) as typeof import("./alone.ts");
    return answerAlone(home, event);
  },
};

/** Only a stop (a checker may run tests) and a call (it may wait for a person) take longer than milliseconds. */
const LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 125_000;

/**
 * The body of `conduct hook codex`: sends one event from stdin to the daemon and its answer to stdout; returns the
 * exit code. Codex blocks only on 2. A failure blocks a call, withholds a result and blocks a message. A failure lets
 * a stop pass: every call is blocked without Conduct, so an agent that may not stop would loop. While Conduct is
 * paused or in shadow mode, a failure lets everything pass.
 */
export async function hookCodex(streams: HookStreams = PROCESS): Promise<number> {
  const { env } = streams;
  if (streams === PROCESS && process.stdin.isTTY) {
    streams.out(`\n${ranByPerson("Codex", "conduct doctor codex")}\n\n`);
    return 0;
  }
  let name = "PreToolUse";
  try {
    const given: unknown = JSON.parse(streams.input());
    name = eventName(given);
    if (name === "SessionStart" || name === "UserPromptSubmit") noteRuntime(conductHome(env), "codex");
    const event = withTyped(name, given, streams);
    const answer = await ask(event, limitOf(name, env), streams);
    if (typeof answer !== "object" || answer === null) throw new Error("the daemon gave no answer");
    streams.out(JSON.stringify(answer));
    return 0;
  } catch (error) {
    const home = conductHome(env);
    const cause = error instanceof Error ? error.message : String(error);
    if (failureRule(home, "codex") === "pass") {
      const systemMessage = isWatched(home, "codex") ? warnOnce(home, "codex", cause) : undefined;
      if (systemMessage !== undefined) streams.out(JSON.stringify({ systemMessage }));
      return 0;
    }
    const failure = FAILURES[name] ?? { code: 1, means: "Conduct did not see the event" };
    streams.error(`Conduct: ${cause}; ${failure.means}. To find the cause, a person can run: conduct doctor\n`);
    return failure.code;
  }
}

/** Only messages need to know who typed, and the event that opens the session. */
function withTyped(name: string, event: unknown, { isTyped }: HookStreams): unknown {
  if (typeof event !== "object" || event === null || isTyped === undefined) return event;
  const isAsked = name === "UserPromptSubmit" || name === "SessionStart";
  return { ...event, conduct_interactive: isAsked && isTyped() };
}

/** A program that guards Codex itself names its own socket; otherwise only the daemon of this account is asked. */
async function ask(event: unknown, limitMs: number, { env, alone }: HookStreams): Promise<unknown> {
  if (env.CONDUCT_SOCKET) return sendHook(env.CONDUCT_SOCKET, event, limitMs);
  const home = conductHome(env);
  return askDaemon(home, event, limitMs, alone === undefined ? undefined : () => alone(home, event));
}

const FAILURES: { readonly [event: string]: { readonly code: 1 | 2; readonly means: string } } = {
  PreToolUse: { code: 2, means: "the call is blocked" },
  PostToolUse: { code: 2, means: "the call has run, its result is withheld" },
  UserPromptSubmit: { code: 2, means: "the message is not sent, because the agent would run unguarded" },
  Stop: { code: 1, means: "the agent stopped without a check" },
  SubagentStop: { code: 1, means: "the subagent stopped without a check" },
};

/** An unreadable event is treated as a call. */
function eventName(event: unknown): string {
  if (typeof event !== "object" || event === null || !("hook_event_name" in event)) return "PreToolUse";
  return String(event.hook_event_name);
}

function limitOf(name: string, env: NodeJS.ProcessEnv): number {
  const given = Number(env.CONDUCT_HOOK_MS);
  if (Number.isFinite(given) && given > 0) return given;
  const stops = name === "Stop" || name === "SubagentStop";
  if (isWatched(conductHome(env), "codex")) return stops ? WATCHED_STOP_MS : WATCHED_ANSWER_MS;
  if (name === "PreToolUse") return CALL_ANSWER_MS;
  return stops ? STOP_LIMIT_MS : LIMIT_MS;
}
