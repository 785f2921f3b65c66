import { setTimeout as sleep } from "node:timers/promises";
import { type ConductClient, conductClient, GatewayError } from "../../src/apps/gateway/client.ts";
import type { Random } from "./random.ts";
import type { SeenEnd, SentMessage } from "./records.ts";
import { messageMark } from "./stand-ins.ts";

export type PersonOptions = {
  readonly url: string;
  readonly token: string;
  /** `c12`: the prefix of its messages. */
  readonly name: string;
  readonly agent: string;
  readonly random: Random;
  readonly now: () => number;
};

/** A person repeats a message that was not acknowledged, then gives up. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 300;
const READ_MS = 1_500;
const LIVE = new Set(["queued", "running"]);

type Turn = { readonly text: string; readonly status: string };

/**
 * One conversation. The person sends up to three messages at once, each after the acknowledgement of the one before,
 * follows the event stream, and reads the conversation again while something is missing.
 */
export class Person {
  readonly sent: SentMessage[] = [];
  readonly seen: SeenEnd[] = [];
  readonly #options: PersonOptions;
  readonly #client: ConductClient;
  /** The last end of each message that the person was told. */
  readonly #told = new Map<string, string>();
  readonly #end = new AbortController();
  readonly #following: Promise<void>;
  readonly session: string;
  #reconnects = 0;

  private constructor(options: PersonOptions, session: string) {
    this.#options = options;
    this.#client = conductClient({ url: options.url, token: options.token });
    this.session = session;
    this.#following = this.#follow();
  }

  static async arrive(options: PersonOptions): Promise<Person> {
    const client = conductClient({ url: options.url, token: options.token });
    const { id } = await client.call("POST /api/sessions", { body: { agent: options.agent } });
    return new Person(options, id);
  }

  /** How often the stream was lost and opened again. */
  get reconnects(): number {
    return this.#reconnects;
  }

  /** Acknowledged messages whose end the person does not know. */
  get open(): readonly string[] {
    return this.sent.flatMap(({ message, ackedAt }) =>
      ackedAt !== undefined && !this.#told.has(message) ? [message] : [],
    );
  }

  async talk(over: AbortSignal): Promise<void> {
    const { random, now } = this.#options;
    await sleep(random.between(0, 2_000));
    while (!over.aborted) {
      for (let left = Math.floor(random.between(1, 4)); left > 0; left--) await this.#send();
      await this.settle(now() + PATIENCE_MS);
      await sleep(random.between(200, 3_000));
    }
  }

  /** Waits for the end of every acknowledged message. */
  async settle(until: number): Promise<void> {
    for (let readAt = this.#options.now() + READ_MS; this.open.length > 0; await sleep(50)) {
      const at = this.#options.now();
      if (at > until) return;
      if (at < readAt) continue;
      await this.#read();
      readAt = this.#options.now() + READ_MS;
    }
  }

  async leave(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }

  async #send(): Promise<void> {
    const { name, now } = this.#options;
    const message = `${name}-m${this.sent.length}`;
    const record = { conversation: name, message, sentAt: now() };
    const place = this.sent.push(record) - 1;
    const isKeyed = place % 2 === 0;
    const body = { text: `${messageMark(message)} Append it.`, messageId: isKeyed ? undefined : message };
    while (now() < record.sentAt + PATIENCE_MS) {
      const options = { idempotencyKey: isKeyed ? message : undefined, signal: AbortSignal.timeout(15_000) };
      const given = { params: { id: this.session }, body };
      try {
        await this.#client.call("POST /api/sessions/{id}/messages", given, options);
        this.sent[place] = { ...record, ackedAt: now() };
        return;
      } catch (error) {
        if (error instanceof GatewayError && FINAL.has(error.status)) {
          this.sent[place] = { ...record, gaveUpAt: now(), refused: `${error.status} ${error.code}: ${error.message}` };
          return;
        }
      }
      await sleep(RETRY_MS);
    }
    this.sent[place] = { ...record, gaveUpAt: now() };
  }

  async #follow(): Promise<void> {
    const given = { params: { id: this.session } };
    while (!this.#end.signal.aborted) {
      try {
        const stream = this.#client.stream("GET /api/sessions/{id}/stream", given, this.#end.signal);
        for await (const { event, data } of stream) {
          if (event === "turn") this.#note((data as { readonly turn: Turn }).turn, "stream");
        }
      } catch {
        // The replica is gone; the proxy leads to another one.
      }
      this.#reconnects += 1;
      await sleep(RETRY_MS, undefined, { signal: this.#end.signal }).catch(() => undefined);
    }
  }

  async #read(): Promise<void> {
    const given = { params: { id: this.session }, query: { limit: 50 } };
    const found = await this.#client
      .call("GET /api/sessions/{id}", given, { signal: AbortSignal.timeout(5_000) })
      .catch(() => undefined);
    for (const turn of found?.turns ?? []) this.#note(turn, "read");
  }

  #note({ text, status }: Turn, via: SeenEnd["via"]): void {
    const message = /\[(c\d+-m\d+)\]/.exec(text)?.[1];
    if (message === undefined || LIVE.has(status) || this.#told.get(message) === status) return;
    this.#told.set(message, status);
    this.seen.push({ message, status, at: this.#options.now(), via });
  }
}

/** Repeating such a request cannot help. */
const FINAL = new Set([400, 401, 403, 404, 413, 421, 422]);
