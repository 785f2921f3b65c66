import { readFileSync } from "node:fs";
import { sendHook } from "../../edge/host/hook-socket-client.ts";

export type HookStreams = {
  readonly input: () => string;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly env: { readonly CONDUCT_SOCKET?: string | undefined; readonly CONDUCT_HOOK_MS?: string | undefined };
};

const PROCESS: HookStreams = {
  input: () => readFileSync(0, "utf8"),
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  env: process.env,
};

/** A checker may run the project's tests before a stop; everything else decides in milliseconds. */
const LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 125_000;

/**
 * The body of `conduct hook codex`: one hook's event from stdin to the daemon, its answer to stdout. Gives the exit code.
 * Codex blocks on 2 alone. A failure blocks a call, withholds a result and holds back a message; a stop it lets pass,
 * because without a daemon every call is blocked and an agent that may not stop would only spin.
 */
export async function hookCodex(streams: HookStreams = PROCESS): Promise<number> {
  let name = "PreToolUse";
  try {
    const event: unknown = JSON.parse(streams.input());
    name = eventName(event);
    const socket = streams.env.CONDUCT_SOCKET;
    if (socket === undefined || socket === "") throw new Error("CONDUCT_SOCKET is not set");
    const answer = await sendHook(socket, event, limitOf(name, streams.env.CONDUCT_HOOK_MS));
    if (typeof answer !== "object" || answer === null) throw new Error("the daemon gave no answer");
    streams.out(JSON.stringify(answer));
    return 0;
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const failure = FAILURES[name] ?? { code: 1, means: "the event was not seen by Conduct" };
    streams.error(`Conduct: ${cause}; ${failure.means}\n`);
    return failure.code;
  }
}

const FAILURES: { readonly [event: string]: { readonly code: 1 | 2; readonly means: string } } = {
  PreToolUse: { code: 2, means: "the call is blocked" },
  PostToolUse: { code: 2, means: "the call has run, its result is withheld" },
  UserPromptSubmit: { code: 2, means: "the message is not sent, because the agent would run unguarded" },
  Stop: { code: 1, means: "the stop was let pass unchecked" },
  SubagentStop: { code: 1, means: "the subagent's stop was let pass unchecked" },
};

/** What cannot be read might be a call. */
function eventName(event: unknown): string {
  if (typeof event !== "object" || event === null || !("hook_event_name" in event)) return "PreToolUse";
  return String(event.hook_event_name);
}

function limitOf(name: string, wanted: string | undefined): number {
  const given = Number(wanted);
  if (Number.isFinite(given) && given > 0) return given;
  return name === "Stop" || name === "SubagentStop" ? STOP_LIMIT_MS : LIMIT_MS;
}
