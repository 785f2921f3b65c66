import { setTimeout as sleep } from "node:timers/promises";
import type { OtlpTarget } from "./otlp-settings.ts";

export type OtlpLimits = {
  /** Queue limit; the oldest items are dropped first. */
  readonly maxItems: number;
  readonly maxCharacters: number;
  /** Limit per request. */
  readonly batchItems: number;
  readonly batchCharacters: number;
  /** Wait before the one retry, unless the collector sends `retry-after`. */
  readonly retryMs: number;
  readonly timeoutMs: number;
};

/** Status codes to retry, from the OTLP specification. Other errors are permanent. */
const WORTH_A_RETRY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_RETRY_MS = 30_000;
const MAX_ANSWER = 65_536;

type Envelope = { readonly before: string; readonly after: string };

/** `refused` counts items that the collector rejected although it accepted the request. */
type Tried = { readonly refused: number } | { readonly why: string; readonly retryIn?: number };

/**
 * Sends encoded spans, log records or metrics to a collector: bounded, in batches, one request at a time. Never throws and never
 * rejects: items that cannot be sent are dropped and counted.
 */
export function otlpExporter({ url, headers }: OtlpTarget, { before, after }: Envelope, limits: OtlpLimits) {
  const { maxItems, maxCharacters, batchItems, batchCharacters, timeoutMs, retryMs } = limits;
  const closed = new AbortController();
  const waiting: string[] = [];
  let characters = 0;
  let sending: Promise<void> | undefined;

  function take(count: number): readonly string[] {
    const taken = waiting.splice(0, count);
    for (const item of taken) characters -= item.length;
    return taken;
  }

  function nextBatch(): readonly string[] {
    let [count, size] = [0, 0];
    for (const item of waiting) {
      size += item.length;
      if (count > 0 && (count >= batchItems || size > batchCharacters)) break;
      count += 1;
    }
    return take(count);
  }

  async function post(body: string): Promise<Tried> {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        // A redirect would carry the key in the headers to another address.
        redirect: "manual",
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), closed.signal]),
      });
      const answer = await readSome(response);
      if (response.ok) return { refused: refusedOf(answer) };
      const why = `it answered ${response.status}`;
      if (!WORTH_A_RETRY.has(response.status)) return { why };
      const asked = Number(response.headers.get("retry-after") ?? Number.NaN) * 1_000;
      return { retryIn: asked >= 0 ? Math.min(asked, MAX_RETRY_MS) : retryMs, why };
    } catch (error) {
      if (closed.signal.aborted) return { why: "the exporter was closed before it was sent" };
      const late = error instanceof DOMException && error.name === "TimeoutError";
      return { retryIn: retryMs, why: late ? `it did not answer within ${timeoutMs} ms` : "it cannot be reached" };
    }
  }

  async function deliver(body: string): Promise<Tried> {
    const first = await post(body);
    if ("refused" in first || first.retryIn === undefined) return first;
    const waited = await sleep(first.retryIn, true, { signal: closed.signal, ref: false }).catch(() => false);
    return waited ? post(body) : first;
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = nextBatch();
      const tried = await deliver(`${before}${batch.join(",")}${after}`);
      const refused = "refused" in tried ? Math.min(tried.refused, batch.length) : batch.length;
      state.sent += batch.length - refused;
      state.dropped += refused;
      state.trouble = "why" in tried ? tried.why : undefined;
    }
  }

  /** `trouble`: why the last request failed; `undefined` when it succeeded. */
  const state = { sent: 0, dropped: 0, trouble: undefined as string | undefined };
  return {
    state,
    push(item: string): void {
      waiting.push(item);
      characters += item.length;
      while (waiting.length > maxItems || characters > maxCharacters) state.dropped += take(1).length;
    },
    /** Resolves once every queued item was sent or dropped. */
    send(): Promise<void> {
      sending ??= sendAll().finally(() => {
        sending = undefined;
      });
      return sending;
    },
    /** Ends the current request and drops the rest. */
    abort(): void {
      closed.abort();
      state.dropped += take(waiting.length).length;
    },
  };
}

async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER) break;
  }
  return text;
}

function refusedOf(answer: string): number {
  try {
    const read: { partialSuccess?: { rejectedSpans?: unknown; rejectedLogRecords?: unknown } } | null =
      JSON.parse(answer);
    const refused = Number(read?.partialSuccess?.rejectedSpans ?? read?.partialSuccess?.rejectedLogRecords ?? 0);
    return refused > 0 ? Math.floor(refused) : 0;
  } catch {
    return 0;
  }
}
