import { pathToFileURL } from "node:url";
import { asObject, exactOf, isObject, parseKeepingDigits } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { askDaemon } from "../../../../edge/host/daemon/daemon-ask.ts";
import { sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { programFile } from "../../../../edge/host/node/package-files.ts";
import { readStdin } from "../../../../edge/host/node/read-stdin.ts";
import { noteRuntime } from "../../../../edge/host/trust/live-runtimes.ts";
import { isTypedIn } from "../../../../edge/host/trust/typed-in-agent.ts";
import {
  failureRule,
  isWatched,
  WATCHED_ANSWER_MS,
  WATCHED_STOP_MS,
  warnOnce,
} from "../../../../edge/host/watched/failure-rule.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { HOOK_RUNTIMES, type HookRuntime, type HookRuntimeName, momentOf } from "./hook-runtimes.ts";
import { ranByPerson } from "./ran-by-person.ts";

export type HookStreams = {
  readonly input: () => string;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly env: NodeJS.ProcessEnv;
  /** Whether a person types in the runtime that runs this hook. */
  readonly isTyped?: (terminal: HookRuntime["terminal"]) => boolean;
  /** Answers in this process when no daemon runs and none can be started. */
  readonly alone?: (home: string, event: unknown) => Promise<unknown>;
};

const PROCESS: HookStreams = {
  input: readStdin,
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  env: process.env,
  isTyped: isTypedIn,
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
 * The body of `conduct hook NAME [EVENT]`: sends one event from stdin to the daemon and its answer to stdout; returns
 * the exit code. A failure blocks a call, withholds a result and blocks a message. A failure lets a stop pass: every
 * call is blocked without Conduct, so an agent that may not stop would loop. While Conduct is paused or in shadow
 * mode, a failure lets everything pass.
 */
export async function runHook(
  runtime: HookRuntimeName,
  event?: string,
  streams: HookStreams = PROCESS,
): Promise<number> {
  const { env } = streams;
  const spec = HOOK_RUNTIMES[runtime];
  if (streams === PROCESS && process.stdin.isTTY) {
    streams.out(`\n${ranByPerson(spec.title, `conduct doctor ${runtime}`)}\n\n`);
    return 0;
  }
  let name = event ?? "";
  try {
    const given = parseKeepingDigits(streams.input());
    name = event ?? eventName(given);
    const isOpening = spec.opening.includes(name);
    if (isOpening) noteRuntime(conductHome(env), runtime);
    const typed = streams.isTyped && { conduct_interactive: isOpening && streams.isTyped(spec.terminal) };
    const answer = await ask(tagged(runtime, event, given, typed), limitOf(runtime, name, env), streams);
    if (typeof answer !== "object" || answer === null) throw new Error("the daemon gave no answer");
    streams.out(JSON.stringify(exactOf(answer as JsonObject)));
    return 0;
  } catch (error) {
    const home = conductHome(env);
    const cause = error instanceof Error ? error.message : String(error);
    if (failureRule(home, runtime) === "pass") {
      const systemMessage = isWatched(home, runtime) ? warnOnce(home, runtime, cause) : undefined;
      if (systemMessage !== undefined) streams.out(JSON.stringify({ systemMessage }));
      return 0;
    }
    const moment = momentOf(spec, name);
    const fix = "To find the cause, a person can run: conduct doctor";
    // The printed answer itself says what happens to the call.
    const printed = spec.failure?.(name, `Conduct: ${cause}. ${fix}.`);
    if (printed !== undefined) {
      streams.out(printed);
      return 0;
    }
    streams.error(`Conduct: ${cause}; ${MEANS[moment]}. ${fix}\n`);
    return moment === "call" || moment === "result" || moment === "message" ? 2 : 1;
  }
}

const MEANS: { readonly [M in ReturnType<typeof momentOf>]: string } = {
  call: "the call is blocked",
  result: "the call has run, its result is withheld",
  message: "the message is not sent, because the agent would run unguarded",
  stop: "the agent stopped without a check",
  "subagent-stop": "the subagent stopped without a check",
  other: "Conduct did not see the event",
};

/** Codex' events go as they are: a program that guards Codex itself reads them too. */
function tagged(runtime: HookRuntimeName, event: string | undefined, given: unknown, typed: JsonObject | undefined) {
  if (!isObject(given)) return given;
  const tag = runtime === "codex" ? {} : { conduct_hook: runtime, conduct_event: event };
  return { ...asObject(exactOf(given)), ...tag, ...typed };
}

/** A program that guards the runtime itself names its own socket; otherwise only the daemon of this account is asked. */
async function ask(event: unknown, limitMs: number, { env, alone }: HookStreams): Promise<unknown> {
  if (env.CONDUCT_SOCKET) return sendHook(env.CONDUCT_SOCKET, event, limitMs);
  const home = conductHome(env);
  return askDaemon(home, event, limitMs, alone === undefined ? undefined : () => alone(home, event));
}

/** An unreadable event is treated as a call. */
function eventName(event: unknown): string {
  if (typeof event !== "object" || event === null || !("hook_event_name" in event)) return "";
  return String(event.hook_event_name);
}

function limitOf(runtime: HookRuntimeName, name: string, env: NodeJS.ProcessEnv): number {
  const given = Number(env.CONDUCT_HOOK_MS);
  if (Number.isFinite(given) && given > 0) return given;
  const moment = momentOf(HOOK_RUNTIMES[runtime], name);
  const stops = moment === "stop" || moment === "subagent-stop";
  if (isWatched(conductHome(env), runtime)) return stops ? WATCHED_STOP_MS : WATCHED_ANSWER_MS;
  if (moment === "call") return HOOK_RUNTIMES[runtime].callMs;
  return stops ? STOP_LIMIT_MS : LIMIT_MS;
}
