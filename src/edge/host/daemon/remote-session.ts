import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision, Question } from "../../../base/words/decision.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { BuiltPrompt } from "../../../base/words/prompt.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import type { Heard } from "../../../engine/moments/message.ts";
import type { Wait } from "../../../engine/moments/open-questions.ts";
import type { Delivered } from "../../../engine/moments/result.ts";
import type { SessionHost, SessionMoments, SessionOrigin } from "../../../engine/moments/session-moments.ts";
import type { IncomingMessage, PromptRequest, StopRequest } from "../../../engine/moments/session-options.ts";
import type { ConductTool, ToolDeclaration } from "../../../engine/tools/conduct-tool.ts";
import { failureRule, isWatched, WATCHED_ANSWER_MS, WATCHED_STOP_MS } from "../watched/failure-rule.ts";
import { warnOnce } from "../watched/warn-once.ts";
import { type HookLimit, sendHook } from "./hook-socket-client.ts";
import { passingMoments } from "./paused-moments.ts";
import { namesTable } from "./remote-names.ts";

/** How long one request may take. A stop may run the project's tests. */
const LIMIT_MS = 10_000;
const STOP_MS = 125_000;
/** Beyond what the daemon itself waits for a person. */
const ANSWER_MS = 5_000;
/** A watched runtime whose daemon did not answer works on without asking for so long: it must not wait at every call. */
const REST_MS = 30_000;

export type RemoteOptions = {
  /** The daemon's socket. */
  readonly socket: string;
  /** How a request is sent; replaced by whoever starts the daemon on demand. */
  readonly send?: Send;
  /** Conduct's folder: a failure passes while Conduct is paused there or only watches the runtime. Without it every failure blocks. */
  readonly home?: string;
  /** How long a request may take, and a daemon that waits for a person may say nothing; 10 s unless told. */
  readonly limitMs?: number;
};

type Send = (request: unknown, limit: HookLimit) => Promise<unknown>;

/** Sessions behind the daemon's socket. A request that fails blocks what it was about, and says how to go on without. */
export function remoteHost(options: RemoteOptions): SessionHost {
  const { socket, home, limitMs = LIMIT_MS, send = (request, limit) => sendHook(socket, request, limit) } = options;
  const failures = failuresAt(home);
  return {
    async open(origin) {
      const request = { moments: origin, does: "open", args: [] };
      const told = await failures.guard(
        origin.runtime,
        () => send(request, failures.limit(origin.runtime, limitMs)),
        () => ({ value: [] }),
      );
      const declared = isObject(told) && Array.isArray(told.value) ? told.value : [];
      const tools = declared as unknown as readonly ToolDeclaration[];
      return new RemoteSession({ origin, send, tools, failures, limitMs });
    },
  };
}

/** What becomes of requests that fail, by the rule for their runtime. */
type Failures = {
  /** The answer; that of `pass` when it fails and the rule says so. `warn` hears what to tell the person, once. */
  guard<T>(
    runtime: string,
    ask: () => Promise<T>,
    pass: () => T | Promise<T>,
    warn?: (text: string) => void,
  ): Promise<T>;
  /** How long an answer may take: shorter where a failure blocks nothing. */
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

type RemoteInit = {
  readonly origin: SessionOrigin;
  readonly send: Send;
  readonly tools: readonly ToolDeclaration[];
  readonly failures: Failures;
  readonly limitMs: number;
};

class RemoteSession implements SessionMoments {
  readonly id: string;
  readonly #origin: SessionOrigin;
  readonly #send: Send;
  readonly #tools: readonly ToolDeclaration[];
  readonly #failures: Failures;
  readonly #limitMs: number;
  readonly #debug: string[] = [];
  /** The notices on their way: nothing overtakes them. */
  #notices: Promise<void> = Promise.resolve();

  constructor({ origin, send, tools, failures, limitMs }: RemoteInit) {
    this.id = origin.id;
    this.#origin = origin;
    this.#send = send;
    this.#tools = tools;
    this.#failures = failures;
    this.#limitMs = limitMs;
  }

  onMessage(message: IncomingMessage): Promise<Heard> {
    return this.#ask("onMessage", [message], (passing) => passing.onMessage(message));
  }

  onPrompt({ toolName, ...request }: PromptRequest = {}): Promise<BuiltPrompt> {
    const names = toolName === undefined ? {} : { names: namesTable(toolName) };
    return this.#ask("onPrompt", [{ ...request, ...names }], (passing) => passing.onPrompt());
  }

  async onCall(call: CallInput): Promise<Decision> {
    try {
      return await this.#ask("onCall", [call], (passing) => passing.onCall(call));
    } catch (error) {
      return unreachable(errorText(error));
    }
  }

  async resolve(approval: string, answer: "yes" | "no", by: string, reason?: string): Promise<void> {
    const why = reason === undefined ? [] : [reason];
    await this.#ask("resolve", [approval, answer, by, ...why], async () => undefined);
  }

  flush(): Promise<void> {
    return this.#notices;
  }

  /** A person is given the time that was said; a daemon that hangs is not: it tells all along that it waits. */
  async decide(call: CallInput, { waitMs = 0, onAsking }: Wait = {}): Promise<Decision> {
    let told = false;
    const onWaits = (waits: unknown) => {
      // The other end is ours. It says so again and again; once is enough here.
      if (!told && isObject(waits)) onAsking?.(waits as unknown as Question);
      told = true;
    };
    const allMs = Math.max(this.#limitMs, waitMs + ANSWER_MS);
    const limit = { silenceMs: this.#limitMs, allMs, onWaits };
    try {
      return await this.#ask("decide", [call, { waitMs, tells: true }], (passing) => passing.decide(call), limit);
    } catch (error) {
      return unreachable(errorText(error));
    }
  }

  async onResult(
    call: { readonly id: string; readonly tool: string },
    result: ToolResult,
    options: { readonly replaceable?: boolean } = {},
  ): Promise<Delivered> {
    try {
      const { id, tool } = call;
      return await this.#ask("onResult", [{ id, tool }, result, options], (passing) => passing.onResult(call, result));
    } catch (error) {
      const text = `Conduct withheld this result, because it could not be checked: ${errorText(error)}. ${WAY_OUT}`;
      return { result: { outcome: "unknown", parts: [{ kind: "text", text }] }, changed: true };
    }
  }

  /** Without a daemon every call is blocked: an agent that may not stop either would only spin. */
  async onStop(request: StopRequest = {}): Promise<StopDecision> {
    try {
      return await this.#ask("onStop", [request], (passing) => passing.onStop(), STOP_MS);
    } catch (error) {
      return { done: true, status: "bypassed", why: errorText(error) };
    }
  }

  notice(notice: Notice): void {
    const told = this.#notices.then(() => this.#request("notice", [notice], this.#limitMs));
    // What cannot be told now blocks nothing; the next call finds out that nobody listens.
    this.#notices = told.then(
      () => undefined,
      () => undefined,
    );
  }

  takeDebug(): string | undefined {
    return this.#debug.length === 0 ? undefined : this.#debug.splice(0).join("\n\n");
  }

  tools(): readonly ConductTool[] {
    return this.#tools.map((tool) => ({
      ...tool,
      run: (args: JsonObject) => this.#ask<ToolResult>("tool", [tool.name, args], undefined, STOP_MS),
    }));
  }

  async #ask<T>(
    does: string,
    args: readonly unknown[],
    pass?: (passing: SessionMoments) => Promise<T>,
    limit: HookLimit = this.#limitMs,
  ): Promise<T> {
    await this.#notices;
    const { runtime } = this.#origin;
    // The other end is ours: it answers with what the session gave.
    const ask = async (allowed: HookLimit) => (await this.#request(does, args, allowed)) as T;
    if (pass === undefined) return ask(limit);
    const watchedMs = does === "onStop" ? WATCHED_STOP_MS : WATCHED_ANSWER_MS;
    return this.#failures.guard(
      runtime,
      () => ask(this.#failures.limit(runtime, limit, watchedMs)),
      () => pass(passingMoments(this.id)),
      (warning) => this.#debug.push(warning),
    );
  }

  async #request(does: string, args: readonly unknown[], limit: HookLimit): Promise<unknown> {
    const answer = await this.#send({ moments: this.#origin, does, args }, limit);
    if (!isObject(answer)) throw new Error("the Conduct daemon gave an answer that cannot be read");
    if (typeof answer.debug === "string") this.#debug.push(answer.debug);
    return answer.value;
  }
}

/** What a person can do when Conduct itself is what blocks. */
const WAY_OUT = "A person can see what is wrong with `conduct doctor`.";

function unreachable(why: string): Decision {
  return {
    kind: "deny",
    id: "d_unreachable",
    rule: "conduct",
    code: "unreachable",
    reason: `Conduct cannot be asked, so nothing runs: ${why}.`,
    missing: [],
    next: `Stop and tell the person you work for. ${WAY_OUT}`,
    others: [],
    attemptsLeft: 0,
    endTurn: false,
  };
}
