import { setTimeout as sleep } from "node:timers/promises";
import type { StreamFn } from "@earendil-works/pi-agent-core";
import type { AssistantMessage, AssistantMessageEvent } from "@earendil-works/pi-ai";
import { modelTrouble } from "./claude-turn.ts";

export type SteadyLimits = {
  /** Maximum silence of a model. Below the 300 s after which Node's fetch fails without a reason. */
  readonly idleMs: number;
  /** Retries of a request that was rejected (429, 5xx, no connection) or broke off before any output. */
  readonly retries: number;
  /** If a provider asks for a longer wait, the request fails. */
  readonly longestWaitMs: number;
  /** Wait before the first retry of a broken stream. Doubles each time, with up to a quarter of jitter. */
  readonly firstWaitMs: number;
};

export const LIMITS: SteadyLimits = { idleMs: 180_000, retries: 2, longestWaitMs: 30_000, firstWaitMs: 500 };

/**
 * Adds timeouts and retries to a model stream. pi-ai retries rejected requests and reads `retry-after`; this retries
 * streams that broke off before any output. Later failures are not retried, because a person may have read the output.
 */
export function steadyStream(stream: StreamFn, limits: Partial<SteadyLimits> = {}): StreamFn {
  const { idleMs, retries, longestWaitMs, firstWaitMs } = { ...LIMITS, ...limits };
  return async (model, context, options) => {
    const { createAssistantMessageEventStream } = await import("@earendil-works/pi-ai");
    const out = createAssistantMessageEventStream();
    const signal = options?.signal;
    let started = false;
    let spoken = false;

    /** Runs one attempt and forwards its events. Returns `again` if it broke off before any output. */
    async function attempt(isLast: boolean): Promise<"over" | "again"> {
      const silence = new AbortController();
      const timer = setTimeout(() => silence.abort(), idleMs);
      const ended = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
      let begun = false;
      try {
        const more = { ...options, maxRetries: retries, maxRetryDelayMs: longestWaitMs, signal: ended };
        for await (const event of untilAborted(await stream(model, context, more), ended)) {
          timer.refresh();
          if (event.type === "error") {
            const broke = begun && !spoken && event.reason === "error" && !ended.aborted;
            if (broke && !isLast) return "again";
            out.push(
              ended.aborted ? ofSignal(event.error) : failed(event.error, modelTrouble(event.error.errorMessage ?? "")),
            );
            return "over";
          }
          if (event.type === "done") {
            out.push(event);
            return "over";
          }
          if (event.type !== "start") spoken = true;
          if (event.type !== "start" || !started) out.push(event);
          begun ||= event.type === "start";
          started ||= begun;
        }
        out.push(
          ended.aborted ? ofSignal(emptyOf(model)) : failed(emptyOf(model), modelTrouble("ended without an end")),
        );
        return "over";
      } finally {
        clearTimeout(timer);
      }
    }

    function ofSignal(error: AssistantMessage): Failure {
      if (signal?.aborted !== true) return failed(error, silenceOf(idleMs));
      return { type: "error", reason: "aborted", error: { ...error, stopReason: "aborted" } };
    }

    async function run(): Promise<void> {
      for (let tries = 0; ; tries++) {
        if ((await attempt(tries >= retries)) === "over") break;
        const wait = firstWaitMs * 2 ** tries * (1 - Math.random() * 0.25);
        // Ends early on abort; the next attempt reports it.
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
      out.end();
    }
    run().catch((error: unknown) => {
      out.push(failed(emptyOf(model), modelTrouble(error instanceof Error ? error.message : String(error))));
      out.end();
    });
    return out;
  };
}

/** Abandons a stream that ignores its abort signal. */
async function* untilAborted(
  events: AsyncIterable<AssistantMessageEvent>,
  signal: AbortSignal,
): AsyncGenerator<AssistantMessageEvent> {
  const aborted = new Promise<undefined>((resolve) => {
    // A stream that handles the signal gets a moment to report how far it came.
    signal.addEventListener("abort", () => setTimeout(resolve, 1_000, undefined), { once: true });
  });
  const iterator = events[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), aborted]);
    if (next === undefined || next.done === true) return;
    yield next.value;
  }
}

type Failure = Extract<AssistantMessageEvent, { type: "error" }>;

function failed(error: AssistantMessage, errorMessage: string): Failure {
  return { type: "error", reason: "error", error: { ...error, stopReason: "error", errorMessage } };
}

/** Describes the silence for the person. */
export function silenceOf(ms: number): string {
  return `the model sent nothing for ${Math.round(ms / 1_000)} seconds; try again, or choose another model`;
}

function emptyOf({ api, provider, id }: Parameters<StreamFn>[0]): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const timestamp = Date.now();
  return { role: "assistant", content: [], api, provider, model: id, usage, stopReason: "error", timestamp };
}
