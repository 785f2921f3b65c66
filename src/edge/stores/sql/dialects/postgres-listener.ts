import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { loadOptional } from "../../../../base/kernel/optional-package.ts";

const CONNECT_MS = 5_000;
const RETRY_MS = 250;
/** A connection can be dead without being closed. */
const PING_MS = 5_000;

type ListenerEvents = {
  /** Called after every connect: notifications sent before it were missed. */
  readonly onReady: () => void;
  /** Must not throw. */
  readonly onPayload: (payload: string) => void;
};

/** Listens to a channel on a connection of its own, and reconnects until it is stopped. Returns a function that stops. */
export async function openListener(
  url: string,
  channel: string,
  { onReady, onPayload }: ListenerEvents,
): Promise<() => Promise<void>> {
  const { default: postgres } = await loadOptional("pg", "A PostgreSQL store", () => import("pg"));
  const stopping = new AbortController();
  let client: pg.Client | undefined;

  /** Resolves when the connection is lost. */
  async function listenOnce(): Promise<void> {
    const fresh = new postgres.Client({
      connectionString: url,
      application_name: "conduct listener",
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
      keepAlive: true,
    });
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
    // Without a listener for errors, a lost connection would end the process.
    fresh.on("error", () => lose()).on("end", () => lose());
    fresh.on("notification", ({ payload = "" }) => onPayload(payload));
    client = fresh;
    const ping = setInterval(() => fresh.query("select 1").catch(() => lose()), PING_MS).unref();
    try {
      await fresh.connect();
      await fresh.query(`listen ${postgres.escapeIdentifier(channel)}`);
      onReady();
      await lost;
    } finally {
      clearInterval(ping);
      void fresh.end().catch(() => undefined);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await listenOnce().catch(() => undefined);
      await sleep(RETRY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = run();
  return async () => {
    stopping.abort();
    await Promise.race([client?.end().catch(() => undefined), sleep(1_000, undefined, { ref: false })]);
    await Promise.race([running, sleep(1_000, undefined, { ref: false })]);
  };
}
