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
 * Sends encoded spans or log records to a collector: bounded, in batches, one request at a time. Never throws and never
 * rejects: items that cannot be sent are dropped and counted.
 */
export class OtlpExporter {
  readonly #target: OtlpTarget;
  readonly #envelope: Envelope;
  readonly #limits: OtlpLimits;
  readonly #closed = new AbortController();
  #waiting: string[] = [];
  #characters = 0;
  #sending: Promise<void> | undefined;
  sent = 0;
  dropped = 0;
  /** Why the last request failed; `undefined` when it succeeded. */
  trouble: string | undefined;

  constructor(target: OtlpTarget, envelope: Envelope, limits: OtlpLimits) {
    this.#target = target;
    this.#envelope = envelope;
    this.#limits = limits;
  }

  get size(): number {
    return this.#waiting.length;
  }

  push(item: string): void {
    this.#waiting.push(item);
    this.#characters += item.length;
    const { maxItems, maxCharacters } = this.#limits;
    while (this.#waiting.length > maxItems || this.#characters > maxCharacters) {
      this.#take(1);
      this.dropped += 1;
    }
  }

  /** Resolves once every queued item was sent or dropped. */
  send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Ends the current request and drops the rest. */
  abort(): void {
    this.#closed.abort();
    this.dropped += this.#take(this.#waiting.length).length;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#batch();
      const { before, after } = this.#envelope;
      const tried = await this.#deliver(`${before}${batch.join(",")}${after}`);
      const refused = "refused" in tried ? Math.min(tried.refused, batch.length) : batch.length;
      this.sent += batch.length - refused;
      this.dropped += refused;
      this.trouble = "why" in tried ? tried.why : undefined;
    }
  }

  #batch(): readonly string[] {
    const { batchItems, batchCharacters } = this.#limits;
    let [count, characters] = [0, 0];
    for (const item of this.#waiting) {
      characters += item.length;
      if (count > 0 && (count >= batchItems || characters > batchCharacters)) break;
      count += 1;
    }
    return this.#take(count);
  }

  #take(count: number): readonly string[] {
    const taken = this.#waiting.splice(0, count);
    for (const item of taken) this.#characters -= item.length;
    return taken;
  }

  async #deliver(body: string): Promise<Tried> {
    const first = await this.#try(body);
    if ("refused" in first || first.retryIn === undefined) return first;
    const waited = await sleep(first.retryIn, true, { signal: this.#closed.signal, ref: false }).catch(() => false);
    return waited ? this.#try(body) : first;
  }

  async #try(body: string): Promise<Tried> {
    const { timeoutMs, retryMs } = this.#limits;
    try {
      const response = await fetch(this.#target.url, {
        method: "POST",
        headers: { ...this.#target.headers, "content-type": "application/json" },
        body,
        // A redirect would carry the key in the headers to another address.
        redirect: "manual",
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#closed.signal]),
      });
      const answer = await readSome(response);
      if (response.ok) return { refused: refusedOf(answer) };
      const why = `it answered ${response.status}`;
      if (!WORTH_A_RETRY.has(response.status)) return { why };
      const asked = Number(response.headers.get("retry-after") ?? Number.NaN) * 1_000;
      return { retryIn: asked >= 0 ? Math.min(asked, MAX_RETRY_MS) : retryMs, why };
    } catch (error) {
      if (this.#closed.signal.aborted) return { why: "there was no time left to send it" };
      const late = error instanceof DOMException && error.name === "TimeoutError";
      return { retryIn: retryMs, why: late ? `it did not answer within ${timeoutMs} ms` : "it cannot be reached" };
    }
  }
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
