import type { CallArgs } from "agent-conduct/client";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { type Entry, keyOf } from "./cache.ts";
import { type Answer, ask, type GatewayError, type Given, type JsonKey, newKey, type Outcome } from "./client.ts";
import { useStore } from "./store.tsx";
import { roomOf, touchedBy } from "./touched.ts";

/** State of a read. With `ready`, `error` means that refreshing the data failed. */
export type Query<T> =
  | { readonly state: "loading"; readonly refresh: () => void }
  | { readonly state: "failed"; readonly error: GatewayError; readonly refresh: () => void }
  | {
      readonly state: "ready";
      readonly data: T;
      readonly error: GatewayError | undefined;
      /** A refresh is running. */
      readonly loading: boolean;
      readonly refresh: () => void;
    };

export type QueryOptions = {
  /** False sends no request yet. */
  readonly when?: boolean;
  /** Shows the previous data while the arguments change, as in a search or on another page. */
  readonly keep?: boolean;
};

const IDLE: Entry = { data: undefined, error: undefined, loading: true, stale: true };

/** Reads a route and keeps it fresh: `useQuery("GET /api/agents/{name}", { params: { name } })`. */
export function useQuery<K extends JsonKey>(
  route: K,
  given?: Given<K>,
  { when = true, keep = false }: QueryOptions = {},
): Query<Answer<K>> {
  const { cache } = useStore();
  const key = keyOf(route, given);
  // Arguments are new objects on every render; the key shows whether they have changed.
  const args = useRef({ key, given });
  if (args.current.key !== key) args.current = { key, given };
  const current = args.current.given;
  const watch = useCallback(
    (listener: () => void) => (when ? cache.watch(route, current, listener) : () => undefined),
    [cache, route, current, when],
  );
  const entry = useSyncExternalStore(watch, () => (when ? cache.peek(route, current) : (IDLE as Entry<Answer<K>>)));
  const refresh = useCallback(() => void cache.refresh(route, current), [cache, route, current]);
  const last = useRef<Answer<K> | undefined>(undefined);
  if (entry.data !== undefined) last.current = entry.data;
  const data = entry.data ?? (keep ? last.current : undefined);
  const { error, loading } = entry;
  if (data !== undefined) return { state: "ready", data, error, loading, refresh };
  if (error !== undefined && !loading) return { state: "failed", error, refresh };
  return { state: "loading", refresh };
}

export type Write<K extends JsonKey> = {
  /**
   * Sends the write, and refreshes affected reads before it resolves. A retry after a failure uses the same
   * idempotency key.
   */
  readonly run: (...[given]: CallArgs<K>) => Promise<Outcome<Answer<K>>>;
  readonly pending: boolean;
  readonly error: GatewayError | undefined;
  readonly reset: () => void;
};

/** A write to a route. `touches` names more route groups whose reads it changes. */
export function useWrite<K extends JsonKey>(route: K, touches: readonly string[] = []): Write<K> {
  const { cache, signOut } = useStore();
  const [state, setState] = useState<{ pending: boolean; error?: GatewayError }>({ pending: false });
  const mounted = useRef(true);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  const retry = useRef<{ readonly of: string; readonly key: string } | undefined>(undefined);
  const touched = touches.join(" ");
  const run = useCallback(
    async (...[given]: CallArgs<K>): Promise<Outcome<Answer<K>>> => {
      setState({ pending: true });
      const of = keyOf(route, given);
      const key = retry.current?.of === of ? retry.current.key : newKey();
      const outcome = await ask(route, given, { idempotencyKey: key });
      // Keep the key only if the write may have arrived.
      const unsure = !outcome.ok && (outcome.error.status === 0 || outcome.error.status >= 500);
      retry.current = unsure ? { of, key } : undefined;
      if (!outcome.ok && outcome.error.status === 401) signOut();
      if (outcome.ok && !isDryRun(given)) {
        const rooms = new Set([...touchedBy(route), ...touched.split(" ")]);
        cache.invalidate((read) => rooms.has(roomOf(read)));
      }
      if (mounted.current) setState(outcome.ok ? { pending: false } : { pending: false, error: outcome.error });
      return outcome;
    },
    [route, cache, signOut, touched],
  );
  const reset = useCallback(() => setState({ pending: false }), []);
  return { run, pending: state.pending, error: state.error, reset };
}

function isDryRun(given: unknown): boolean {
  const query = (given as { readonly query?: { readonly dryRun?: unknown } } | undefined)?.query;
  return query?.dryRun === true || query?.dryRun === "true";
}
