import { errorText } from "../../base/kernel/error-text.ts";
import { isObject } from "../../base/kernel/json.ts";
import type { CallInput } from "../../base/words/call.ts";
import type { Decision, Question } from "../../base/words/decision.ts";
import type { Notice } from "../../base/words/event.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { BuiltPrompt } from "../../base/words/prompt.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import type { Heard } from "../../engine/moments/message.ts";
import type { Wait } from "../../engine/moments/open-questions.ts";
import type { Delivered } from "../../engine/moments/result.ts";
import type { SessionHost, SessionMoments, SessionOrigin } from "../../engine/moments/session-moments.ts";
import type { IncomingMessage, PromptRequest, StopRequest } from "../../engine/moments/session-options.ts";
import type { ConductTool, ToolDeclaration } from "../../engine/tools/conduct-tool.ts";
import { type HookLimit, sendHook } from "./hook-socket-client.ts";
import { isPaused } from "./paused.ts";
import { passingMoments } from "./paused-moments.ts";
import { namesTable } from "./remote-names.ts";

/** How long one request may take. A stop may run the project's tests. */
const LIMIT_MS = 10_000;
const STOP_MS = 125_000;
/** Beyond what the daemon itself waits for a person. */
const ANSWER_MS = 5_000;

export type RemoteOptions = {
  /** The daemon's socket. */
  readonly socket: string;
  /** How a request is sent; replaced by whoever starts the daemon on demand. */
  readonly send?: Send;
  /** Conduct's folder: while the operator has paused it there, what cannot be asked passes. Without it nothing ever does. */
  readonly home?: string;
  /** How long a request may take, and a daemon that waits for a person may say nothing; 10 s unless told. */
  readonly limitMs?: number;
};

type Send = (request: unknown, limit: HookLimit) => Promise<unknown>;

/** Sessions behind the daemon's socket. A request that fails blocks what it was about, and says how to go on without. */
export function remoteHost(options: RemoteOptions): SessionHost {
  const { socket, home, limitMs = LIMIT_MS, send = (request, limit) => sendHook(socket, request, limit) } = options;
  const paused = () => home !== undefined && isPaused(home);
  return {
    async open(origin) {
      const told = await send({ moments: origin, does: "open", args: [] }, limitMs).catch((error: unknown) => {
        if (paused()) return { value: [] };
        throw error;
      });
      const declared = isObject(told) && Array.isArray(told.value) ? told.value : [];
      const tools = declared as unknown as readonly ToolDeclaration[];
      return new RemoteSession({ origin, send, tools, paused, limitMs });
    },
  };
}

type RemoteInit = {
  readonly origin: SessionOrigin;
  readonly send: Send;
  readonly tools: readonly ToolDeclaration[];
  readonly paused: () => boolean;
  readonly limitMs: number;
};

class RemoteSession implements SessionMoments {
  readonly id: string;
  readonly #origin: SessionOrigin;
  readonly #send: Send;
  readonly #tools: readonly ToolDeclaration[];
  readonly #paused: () => boolean;
  readonly #limitMs: number;
  readonly #debug: string[] = [];
  /** The notices on their way: nothing overtakes them. */
  #notices: Promise<void> = Promise.resolve();

  constructor({ origin, send, tools, paused, limitMs }: RemoteInit) {
    this.id = origin.id;
    this.#origin = origin;
    this.#send = send;
    this.#tools = tools;
    this.#paused = paused;
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
    try {
      // The other end is ours: it answers with what the session gave.
      return (await this.#request(does, args, limit)) as T;
    } catch (error) {
      if (pass !== undefined && this.#paused()) return pass(passingMoments(this.id));
      throw error;
    }
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
