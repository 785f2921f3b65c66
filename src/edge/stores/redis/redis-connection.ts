import type { createClient } from "@redis/client";
import { errorText } from "../../../base/kernel/error-text.ts";
import { StoreError } from "../sql/store-error.ts";

type Client = ReturnType<typeof createClient>;

/** `invalidated`: what was read may have changed, on the server or because nobody can tell any more. */
export type ConnectionEvents = { invalidated(): void; ready(): void };

export type RedisHealth = { readonly kind: "ok" } | { readonly kind: "down"; readonly message: string };

const PING_MS = 1_000;
/** A server that has left so many pings unanswered is taken for gone: a connection can be dead without being closed. */
const UNANSWERED = 2;
const CONNECT_MS = 2_000;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;

/** Throws when the text is not the address of a Redis; never shows it, because there may be a password in it. */
export function checkRedisUrl(url: string): void {
  if (/^rediss?:\/\/[^/]/.test(url) && URL.canParse(url)) return;
  throw new StoreError(
    "STORE_UNAVAILABLE",
    "CONDUCT_REDIS_URL is not the address of a Redis",
    "Write it as redis://user:password@host:6379/0, or leave it out: Conduct does without.",
  );
}

/**
 * One connection that is told when a key it has read changes (CLIENT TRACKING), and is made again in the background when it is
 * lost. It keeps no process alive.
 */
export class RedisConnection {
  readonly #url: string;
  readonly #events: ConnectionEvents;
  #client: Client | undefined;
  #health: RedisHealth = { kind: "down", message: "not connected yet" };
  #closed = false;
  #retryMs = FIRST_RETRY_MS;
  #retry: NodeJS.Timeout | undefined;
  readonly #ping: NodeJS.Timeout;
  #unanswered = 0;
  /** Settles when the first attempt has: before that nobody knows whether there is a Redis. */
  readonly #first: Promise<void>;

  constructor(url: string, events: ConnectionEvents) {
    this.#url = url;
    this.#events = events;
    this.#ping = setInterval(() => this.#listen(), PING_MS).unref();
    this.#first = this.#connect();
  }

  /** Only while it can be used at once, and never before `ready` was told. */
  get client(): Client | undefined {
    return this.#health.kind === "ok" && this.#client?.isReady ? this.#client : undefined;
  }

  get health(): RedisHealth {
    return this.#health;
  }

  /** Waits for the first attempt, not for later ones: what is down must not hold anybody up. */
  async reach(): Promise<Client | undefined> {
    await this.#first;
    return this.client;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#ping);
    clearTimeout(this.#retry);
    this.#drop("closed");
  }

  async #connect(): Promise<void> {
    let client: Client | undefined;
    try {
      const { createClient } = await import("@redis/client");
      if (this.#closed) return;
      client = openClient(createClient, this.#url);
      this.#client = client;
      const lose = (error: unknown) => this.#lose(client, error);
      client
        .on("invalidate", () => this.#events.invalidated())
        .on("error", lose)
        .on("end", lose);
      await client.connect();
      if (this.#client !== client || this.#closed) return;
      this.#retryMs = FIRST_RETRY_MS;
      this.#health = { kind: "ok" };
      this.#events.ready();
    } catch (error) {
      this.#lose(client, error);
    }
  }

  #listen(): void {
    const { client } = this;
    if (client === undefined) return;
    if (this.#unanswered >= UNANSWERED) {
      this.#lose(client, new Error("the server does not answer"));
      return;
    }
    this.#unanswered++;
    const answered = () => {
      if (this.#client === client) this.#unanswered = 0;
    };
    client.ping().then(answered, () => undefined);
  }

  /** Only once for each client, however many of its events say so. */
  #lose(client: Client | undefined, error: unknown): void {
    if (this.#closed || this.#client !== client) return;
    this.#drop(error === undefined ? "the connection was closed" : errorText(error));
    this.#retry = setTimeout(() => void this.#connect(), this.#retryMs).unref();
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }

  #drop(message: string): void {
    const client = this.#client;
    this.#client = undefined;
    this.#unanswered = 0;
    this.#health = { kind: "down", message };
    this.#events.invalidated();
    client?.destroy();
  }
}

function openClient(create: typeof createClient, url: string): Client {
  const client: Client = create({
    url,
    name: "conduct",
    emitInvalidate: true,
    disableOfflineQueue: true,
    maintNotifications: "disabled",
    // Made again by us: the client's own way of waiting keeps a process alive.
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false },
  });
  client.unref();
  return client;
}
