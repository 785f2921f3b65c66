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
    "CONDUCT_REDIS_URL is not the URL of a Redis server",
    "Write it as redis://user:password@host:6379/0, or unset it: Redis is optional.",
  );
}

/**
 * One connection with client-side caching (CLIENT TRACKING) that reconnects in the background. It does not keep the
 * process alive.
 */
export function redisConnection(url: string, events: ConnectionEvents) {
  let client: Client | undefined;
  let health: RedisHealth = { kind: "down", message: "not connected yet" };
  let closed = false;
  let retryMs = FIRST_RETRY_MS;
  let retry: NodeJS.Timeout | undefined;
  let unanswered = 0;

  async function connect(): Promise<void> {
    let fresh: Client | undefined;
    try {
      const { createClient } = await loadOptional("@redis/client", "CONDUCT_REDIS_URL", () => import("@redis/client"));
      if (closed) return;
      fresh = openClient(createClient, url);
      client = fresh;
      const onLost = (error: unknown) => lose(fresh, error);
      fresh
        .on("invalidate", () => events.invalidated())
        .on("error", onLost)
        .on("end", onLost);
      await fresh.connect();
      if (client !== fresh || closed) return;
      retryMs = FIRST_RETRY_MS;
      health = { kind: "ok" };
      events.ready();
    } catch (error) {
      lose(fresh, error);
    }
  }

  /** `undefined` unless it is connected and `ready` was called. */
  const ready = () => (health.kind === "ok" && client?.isReady ? client : undefined);

  function checkAlive(): void {
    const asked = ready();
    if (asked === undefined) return;
    if (unanswered >= UNANSWERED) {
      lose(asked, new Error("the server does not answer"));
      return;
    }
    unanswered++;
    const answered = () => {
      if (client === asked) unanswered = 0;
    };
    asked.ping().then(answered, () => undefined);
  }

  /** Acts once per client, however many events report the loss. */
  function lose(lost: Client | undefined, error: unknown): void {
    if (closed || client !== lost) return;
    drop(error === undefined ? "the connection was closed" : errorText(error));
    retry = setTimeout(() => void connect(), retryMs).unref();
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }

  function drop(message: string): void {
    const dropped = client;
    client = undefined;
    unanswered = 0;
    health = { kind: "down", message };
    events.invalidated();
    dropped?.destroy();
  }

  const ping = setInterval(checkAlive, PING_MS).unref();
  const first = connect();
  return {
    client: ready,
    health: () => health,
    /** Waits for the first attempt only: a Redis that is down must not delay anybody. */
    async reach(): Promise<Client | undefined> {
      await first;
      return ready();
    },
    close(): void {
      closed = true;
      clearInterval(ping);
      clearTimeout(retry);
      drop("closed");
    },
  };
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
