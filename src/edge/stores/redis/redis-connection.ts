import type { createClient } from "@redis/client";
import { errorText } from "../../../base/kernel/error-text.ts";
import { loadOptional } from "../../../base/kernel/optional-package.ts";
import { StoreError } from "../sql/store-error.ts";

type Client = ReturnType<typeof createClient>;

/** `invalidated`: cached values may be stale. */
export type ConnectionEvents = { invalidated(): void; ready(): void };

export type RedisHealth = { readonly kind: "ok" } | { readonly kind: "down"; readonly message: string };

const PING_MS = 1_000;
/** Unanswered pings after which the server counts as gone: a connection can be dead without being closed. */
const UNANSWERED = 2;
const CONNECT_MS = 2_000;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;

/** Throws unless the text is a Redis URL. Never shows it, because it may contain a password. */
export function checkRedisUrl(url: string): void {
  if (/^rediss?:\/\/[^/]/.test(url) && URL.canParse(url)) return;
  throw new StoreError(
    "STORE_UNAVAILABLE",
    "CONDUCT_REDIS_URL is not the address of a Redis",
    "Write it as redis://user:password@host:6379/0, or leave it out: Conduct does without.",
  );
}

/**
 * One connection with client-side caching (CLIENT TRACKING) that reconnects in the background. It does not keep the
 * process alive.
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
  /** Settles after the first attempt to connect. */
  readonly #first: Promise<void>;

  constructor(url: string, events: ConnectionEvents) {
    this.#url = url;
    this.#events = events;
    this.#ping = setInterval(() => this.#listen(), PING_MS).unref();
    this.#first = this.#connect();
  }

  /** `undefined` unless it is connected and `ready` was called. */
  get client(): Client | undefined {
    return this.#health.kind === "ok" && this.#client?.isReady ? this.#client : undefined;
  }

  get health(): RedisHealth {
    return this.#health;
  }

  /** Waits for the first attempt only: a Redis that is down must not delay anybody. */
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
      const { createClient } = await loadOptional("@redis/client", "CONDUCT_REDIS_URL", () => import("@redis/client"));
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

  /** Acts once per client, however many events report the loss. */
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
    // We reconnect ourselves: the client's own timer would keep the process alive.
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false },
  });
  client.unref();
  return client;
}
