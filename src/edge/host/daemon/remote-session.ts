import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { Decision, Question } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Modes } from "../../../base/words/modes.ts";
import type { BuiltPrompt } from "../../../base/words/prompt.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import type { MessageResult } from "../../../engine/moments/message.ts";
import type { SessionHost, SessionMoments, SessionOrigin } from "../../../engine/session/session-moments.ts";
import type { ToolDeclaration } from "../../../engine/tools/conduct-tool.ts";
import { noteRuntime } from "../trust/live-runtimes.ts";
import { failureRule, isWatched, WATCHED_ANSWER_MS, WATCHED_STOP_MS, warnOnce } from "../watched/failure-rule.ts";
import { type HookLimit, sendHook } from "./hook-socket-client.ts";

/** Timeout per request. A stop may run the project's tests. */
const LIMIT_MS = 10_000;
const STOP_MS = 125_000;
/** Added to the time that the daemon itself waits for a person. */
const ANSWER_MS = 5_000;
/** After a timeout, a watched runtime skips the daemon for this long, so not every call has to wait. */
const REST_MS = 30_000;

export type RemoteOptions = {
  readonly socket: string;
  /** Sends a request; overridden to start the daemon on demand. */
  readonly send?: Send;
  /**
   * Conduct's folder. Failures pass while Conduct is paused there or only watches the runtime. Without it every
   * failure blocks.
   */
  readonly home?: string;
  /** Request timeout, and the longest silence of a daemon that waits for a person. Default: 10 s. */
  readonly limitMs?: number;
};

type Send = (request: unknown, limit: HookLimit) => Promise<unknown>;

/**
 * Sessions served over the daemon's socket. A failed request blocks its action and says how to continue without
 * Conduct.
 */
export function remoteHost(options: RemoteOptions): SessionHost {
  const { socket, home, limitMs = LIMIT_MS, send = (request, limit) => sendHook(socket, request, limit) } = options;
  const failures = failuresAt(home);
  async function open(origin: SessionOrigin): Promise<SessionMoments> {
    // Plugins and extensions run in the runtime's own process.
    if (home !== undefined) noteRuntime(home, origin.runtime, process.pid);
    const request = { moments: origin, does: "open", args: [] };
    const told = await failures.guard(
      origin.runtime,
      () => send(request, failures.limit(origin.runtime, limitMs)),
      () => ({ value: [] }),
    );
    const declared = isObject(told) && Array.isArray(told.value) ? told.value : [];
    return remoteSession(origin, declared as unknown as readonly ToolDeclaration[], { send, failures, limitMs, open });
  }
  return { open };
}

/** Handles failed requests by the rule for their runtime. */
type Failures = {
  /**
   * Returns the answer, or that of `pass` if the request fails and the rule allows it. `warn` gets the message for the
   * person, once.
   */
  guard<T>(
    runtime: string,
    ask: () => Promise<T>,
    pass: () => T | Promise<T>,
    warn?: (text: string) => void,
  ): Promise<T>;
  /** The timeout for an answer: shorter where a failure blocks nothing. */
  limit(runtime: string, limit: HookLimit, watchedMs?: number): HookLimit;
};

function failuresAt(home: string | undefined): Failures {
  const untold: string[] = [];
  let restUntil = Number.NEGATIVE_INFINITY;
  const watched = (runtime: string) => home !== undefined && isWatched(home, runtime);
  return {
    async guard(runtime, ask, pass, warn) {
      if (warn !== undefined) for (const text of untold.splice(0)) warn(text);
      if (performance.now() < restUntil && watched(runtime)) return pass();
      try {
        return await ask();
      } catch (error) {
        if (home === undefined || failureRule(home, runtime) === "block") throw error;
        if (watched(runtime)) {
          restUntil = performance.now() + REST_MS;
          const warning = warnOnce(home, runtime, errorText(error));
          if (warning !== undefined) (warn ?? untold.push.bind(untold))(warning);
        }
        return pass();
      }
    },
    limit(runtime, limit, watchedMs = WATCHED_ANSWER_MS) {
      if (!watched(runtime)) return limit;
      if (typeof limit === "number") return Math.min(limit, watchedMs);
      return { ...limit, silenceMs: Math.min(limit.silenceMs, watchedMs), allMs: Math.min(limit.allMs, watchedMs) };
    },
  };
}

/** A session whose moments run in the daemon. `open` opens its children. */
function remoteSession(
  origin: SessionOrigin,
  tools: readonly ToolDeclaration[],
  { send, failures, limitMs, open }: { send: Send; failures: Failures; limitMs: number; open: SessionHost["open"] },
): SessionMoments {
  const debug: string[] = [];
  /** Notices being sent. Later requests wait for them, which preserves the order. */
  let notices: Promise<void> = Promise.resolve();

  async function request(does: string, args: readonly unknown[], limit: HookLimit): Promise<unknown> {
    const answer = await send({ moments: origin, does, args }, limit);
    if (!isObject(answer)) throw new Error("the daemon's answer cannot be read");
    if (typeof answer.debug === "string") debug.push(answer.debug);
    return answer.value;
  }

  async function ask<T>(
    does: string,
    args: readonly unknown[],
    pass?: (passing: SessionMoments) => Promise<T>,
    limit: HookLimit = limitMs,
  ): Promise<T> {
    await notices;
    // The daemon is our own code: it answers with the session's return value.
    const run = async (allowed: HookLimit) => (await request(does, args, allowed)) as T;
    if (pass === undefined) return run(limit);
    const watchedMs = does === "onStop" ? WATCHED_STOP_MS : WATCHED_ANSWER_MS;
    return failures.guard(
      origin.runtime,
      () => run(failures.limit(origin.runtime, limit, watchedMs)),
      () => pass(passingMoments(origin.id)),
      (warning) => debug.push(warning),
    );
  }

  const session: SessionMoments & { modes: Modes } = {
    id: origin.id,
    /** Only the daemon knows this. */
    observing: undefined,
    /** As of the last message. */
    modes: NO_MODES,
    async onMessage(message) {
      const heard = await ask<MessageResult>("onMessage", [message], (passing) => passing.onMessage(message));
      session.modes = heard.modes;
      return heard;
    },
    onPrompt({ toolName, ...request } = {}) {
      // A function cannot be sent over a socket; a table of its values can.
      const names = toolName && Object.fromEntries(VOCABULARY.map((tool) => [tool, toolName(tool)]));
      return ask("onPrompt", [{ ...request, names }], (passing) => passing.onPrompt());
    },
    onCall: (call) =>
      ask<Decision>("onCall", [call], (passing) => passing.onCall(call)).catch((error) => unreachable(error)),
    async resolve(...answer) {
      await ask("resolve", answer, async () => undefined);
    },
    flush: () => notices,
    /** A person gets the full `waitMs`. A daemon that hangs does not, because it must send progress while it waits. */
    decide(call, { waitMs = 0, onAsking } = {}) {
      let told = false;
      const onWaits = (waits: unknown) => {
        // The daemon is our own code, so the cast is safe. It repeats the question; report it only once.
        if (!told && isObject(waits)) onAsking?.(waits as unknown as Question);
        told = true;
      };
      const limit = { silenceMs: limitMs, allMs: Math.max(limitMs, waitMs + ANSWER_MS), onWaits };
      const asked = ask<Decision>("decide", [call, { waitMs, tells: true }], (passing) => passing.decide(call), limit);
      return asked.catch((error) => unreachable(error));
    },
    async onResult(call, result, options = {}) {
      try {
        const { id, tool } = call;
        return await ask("onResult", [{ id, tool }, result, options], (passing) => passing.onResult(call, result));
      } catch (error) {
        const text = `Conduct withheld this result, because it could not be checked: ${errorText(error)}. ${WAY_OUT}`;
        return { result: { outcome: "unknown", parts: [{ kind: "text", text }] }, changed: true };
      }
    },
    /** Allows the stop if the daemon is unreachable: every call is blocked then, so the agent would only spin. */
    onStop: (request = {}) =>
      ask<StopDecision>("onStop", [request], (passing) => passing.onStop(), STOP_MS).catch((error) => ({
        done: true,
        status: "bypassed",
        why: errorText(error),
      })),
    notice(notice) {
      // A notice that fails blocks nothing; the next call reports that the daemon is unreachable.
      notices = notices.then(() => request("notice", [notice], limitMs)).then(noop, noop);
    },
    takeDebug: () => (debug.length === 0 ? undefined : debug.splice(0).join("\n\n")),
    tools: () =>
      tools.map((tool) => ({
        ...tool,
        run: (args: JsonObject) => ask<ToolResult>("tool", [tool.name, args], undefined, STOP_MS),
      })),
    child: (id) => open({ runtime: origin.runtime, cwd: origin.cwd, id, parent: origin.id }),
  };
  return session;
}

const noop = () => undefined;

/** Advice for a person when Conduct itself fails and blocks. */
const WAY_OUT = "A person can see what is wrong with `conduct doctor`.";

function unreachable(error: unknown): Decision {
  return {
    kind: "deny",
    id: "d_unreachable",
    rule: "conduct",
    code: "unreachable",
    reason: `Conduct cannot be asked, so nothing runs: ${errorText(error)}.`,
    missing: [],
    next: `Stop and tell the person you work for. ${WAY_OUT}`,
    others: [],
    attemptsLeft: 0,
    endTurn: false,
  };
}

/** Tool names that prompts may use. Written out, not imported, because other runtimes load this file. */
export const VOCABULARY: readonly string[] = [
  "read_file",
  "write_file",
  "edit_file",
  "shell",
  "search",
  "fetch",
  "task",
  "read_result",
  "verify_context",
  "review_plan",
  "update_instructions",
  "read_memory",
  "save_memory",
];

const NO_MODES = { think: false, verbose: false, elevated: false };
const NO_PROMPT: BuiltPrompt = {
  text: "",
  sections: [],
  provenance: [],
  tokens: 0,
  hash: "",
  prefixHash: "",
  prefixTokens: 0,
  cuts: [],
  trace: [],
};

/** Session used while the operator has paused Conduct and it is unreachable: everything passes unchanged. */
export function passingMoments(id: string): SessionMoments {
  return {
    id,
    observing: "paused",
    modes: NO_MODES,
    onMessage: async ({ text }) => ({ text, modes: NO_MODES, notes: [] }),
    onPrompt: async () => NO_PROMPT,
    onCall: async () => ({ kind: "allow", id: "d_paused", advice: [], because: "paused" }),
    resolve: () => undefined,
    flush: async () => undefined,
    decide: async () => ({ kind: "allow", id: "d_paused", advice: [], because: "paused" }),
    onResult: async (_call, result) => ({ result, changed: false }),
    onStop: async () => ({ done: true, status: "bypassed", why: "Conduct is paused" }),
    notice: () => undefined,
    takeDebug: () => undefined,
    tools: () => [],
    child: (child) => passingMoments(child),
  };
}
