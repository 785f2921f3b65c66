import { setTimeout as sleep } from "node:timers/promises";
import type { OtlpTarget } from "./otlp-settings.ts";

export type OtlpLimits = {
  /** What waits; the oldest go first. */
  readonly maxItems: number;
  readonly maxCharacters: number;
  /** What goes into one request. */
  readonly batchItems: number;
  readonly batchCharacters: number;
  /** Before the one retry, unless the collector asks for another time. */
  readonly retryMs: number;
  readonly timeoutMs: number;
};

/** As the specification of OTLP has them: what else is answered will be answered again. */
const WORTH_A_RETRY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_RETRY_MS = 30_000;
const MAX_ANSWER = 65_536;

type Tried = { readonly kind: "taken"; readonly refused: number } | { readonly kind: "failed"; readonly why: string };

/**
 * Encoded spans or log records on their way to a collector: bounded, in batches, one request at a time. Never throws and
 * never rejects: what cannot be sent is dropped and counted.
 */
export class OtlpExporter {
  readonly #target: OtlpTarget;
  readonly #envelope: { readonly before: string; readonly after: string };
  readonly #limits: OtlpLimits;
  readonly #closed = new AbortController();
  #waiting: string[] = [];
  #characters = 0;
  #sending: Promise<void> | undefined;
  #sent = 0;
  #dropped = 0;
  #trouble: string | undefined;

  constructor(target: OtlpTarget, envelope: { readonly before: string; readonly after: string }, limits: OtlpLimits) {
    this.#target = target;
    this.#envelope = envelope;
    this.#limits = limits;
  }

  get size(): number {
    return this.#waiting.length;
  }

  get sent(): number {
    return this.#sent;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Why the last request came to nothing; `undefined` when it was taken. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  push(item: string): void {
    this.#waiting.push(item);
    this.#characters += item.length;
    const { maxItems, maxCharacters } = this.#limits;
    while (this.#waiting.length > maxItems || this.#characters > maxCharacters) {
      this.#take(1);
      this.#dropped += 1;
    }
  }

  /** Resolves when all that waits now was sent or dropped. */
  send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Ends a request that is under way; what is left is dropped. */
  abort(): void {
    this.#closed.abort();
    this.#dropped += this.#take(this.#waiting.length).length;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#batch();
      const { before, after } = this.#envelope;
      const tried = await this.#deliver(`${before}${batch.join(",")}${after}`);
      const refused = tried.kind === "taken" ? Math.min(tried.refused, batch.length) : batch.length;
      this.#sent += batch.length - refused;
      this.#dropped += refused;
      this.#trouble = tried.kind === "failed" ? tried.why : undefined;
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
    if (!("retryIn" in first)) return first;
    const waited = await sleep(first.retryIn, true, { signal: this.#closed.signal, ref: false }).catch(() => false);
    if (!waited) return { kind: "failed", why: first.why };
    const second = await this.#try(body);
    return "retryIn" in second ? { kind: "failed", why: second.why } : second;
  }

  async #try(body: string): Promise<Tried | { readonly retryIn: number; readonly why: string }> {
    const { timeoutMs, retryMs } = this.#limits;
    try {
      const response = await fetch(this.#target.url, {
        method: "POST",
        headers: { ...this.#target.headers, "content-type": "application/json" },
        body,
        // The headers may hold a key, which is for this address alone.
        redirect: "manual",
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#closed.signal]),
      });
      const answer = await readSome(response);
      if (response.ok) return { kind: "taken", refused: refusedOf(answer) };
      const why = `it answered ${response.status}`;
      if (!WORTH_A_RETRY.has(response.status)) return { kind: "failed", why };
      const asked = Number(response.headers.get("retry-after") ?? Number.NaN) * 1_000;
      return { retryIn: asked >= 0 ? Math.min(asked, MAX_RETRY_MS) : retryMs, why };
    } catch (error) {
      if (this.#closed.signal.aborted) return { kind: "failed", why: "there was no time left to send it" };
      const late = error instanceof DOMException && error.name === "TimeoutError";
      return { retryIn: retryMs, why: late ? `it did not answer within ${timeoutMs} ms` : "it cannot be reached" };
    }
  }
}

async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  // Leaving the loop ends the answer, however long it would be.
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER) break;
  }
  return text;
}

/** How many a collector did not take although it took the request. */
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
