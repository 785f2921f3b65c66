import { type Answer, type GatewayError, type Given, type JsonKey, type Outcome, send } from "./client.ts";

/**
 * State of one read. `stale` data is shown while a newer response is fetched; `error` is why the last attempt failed.
 */
export type Entry<T = unknown> = {
  readonly data: T | undefined;
  readonly error: GatewayError | undefined;
  readonly loading: boolean;
  readonly stale: boolean;
};

type Kept = {
  readonly route: JsonKey;
  readonly given: unknown;
  entry: Entry;
  listeners: Set<() => void>;
  /** Counts invalidations, so that the response to an older request does not count as fresh. */
  round: number;
  asking: Promise<void> | undefined;
};

type Send = (route: JsonKey, given: unknown) => Promise<Outcome<unknown>>;

const NOTHING: Entry = { data: undefined, error: undefined, loading: true, stale: true };
/** Maximum number of unused entries; the oldest are dropped. */
const MOST_IDLE = 200;

/**
 * Caches responses by route and arguments. Known ones are shown at once, stale ones are fetched again, and concurrent
 * reads share one request.
 */
export class QueryCache {
  readonly #kept = new Map<string, Kept>();
  readonly #unauthorized: () => void;
  readonly #send: Send;

  constructor(unauthorized: () => void, ask: Send = send) {
    this.#unauthorized = unauthorized;
    this.#send = ask;
  }

  peek<K extends JsonKey>(route: K, given: Given<K> | undefined): Entry<Answer<K>> {
    return (this.#kept.get(keyOf(route, given))?.entry ?? NOTHING) as Entry<Answer<K>>;
  }

  /** Calls the listener on every change of the entry, and fetches it if stale. Returns a function that unsubscribes. */
  watch<K extends JsonKey>(route: K, given: Given<K> | undefined, listener: () => void): () => void {
    const kept = this.#of(route, given);
    kept.listeners.add(listener);
    if (kept.entry.stale && kept.asking === undefined) void this.#fetch(kept);
    return () => {
      kept.listeners.delete(listener);
      if (kept.listeners.size === 0) this.#forgetOldest();
    };
  }

  refresh<K extends JsonKey>(route: K, given: Given<K> | undefined): Promise<void> {
    const kept = this.#of(route, given);
    kept.round += 1;
    return this.#fetch(kept);
  }

  /** Replaces the cached response until the next fetch. Only for changes that cannot be rejected. */
  set<K extends JsonKey>(route: K, given: Given<K> | undefined, change: (before: Answer<K>) => Answer<K>): void {
    const kept = this.#of(route, given);
    if (kept.entry.data === undefined) return;
    this.#put(kept, { ...kept.entry, data: change(kept.entry.data as Answer<K>) });
  }

  /** Marks matching entries as stale. Entries in use are fetched now, others when they are next used. */
  invalidate(matches: (route: string, given: unknown) => boolean): void {
    for (const kept of this.#kept.values()) {
      if (!matches(kept.route, kept.given)) continue;
      kept.round += 1;
      kept.entry = { ...kept.entry, stale: true };
      if (kept.listeners.size > 0) void this.#fetch(kept);
    }
  }

  #of(route: JsonKey, given: unknown): Kept {
    const key = keyOf(route, given);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const kept: Kept = { route, given, entry: NOTHING, listeners: new Set(), round: 0, asking: undefined };
    this.#kept.set(key, kept);
    return kept;
  }

  /** Runs one request at a time. If the entry is invalidated meanwhile, it is fetched again. */
  #fetch(kept: Kept): Promise<void> {
    if (kept.asking !== undefined) return kept.asking;
    kept.asking = this.#askUntilFresh(kept).finally(() => {
      kept.asking = undefined;
    });
    return kept.asking;
  }

  async #askUntilFresh(kept: Kept): Promise<void> {
    for (let tries = 0; tries < 3; tries += 1) {
      const { round } = kept;
      if (!kept.entry.loading) this.#put(kept, { ...kept.entry, loading: true });
      const outcome = await this.#send(kept.route, kept.given);
      if (!outcome.ok && outcome.error.status === 401) this.#unauthorized();
      const isFresh = kept.round === round;
      if (outcome.ok) this.#put(kept, { data: outcome.value, error: undefined, loading: !isFresh, stale: !isFresh });
      else this.#put(kept, { ...kept.entry, error: outcome.error, loading: false, stale: true });
      if (isFresh || !outcome.ok) return;
    }
    this.#put(kept, { ...kept.entry, loading: false });
  }

  #put(kept: Kept, entry: Entry): void {
    kept.entry = entry;
    for (const listener of kept.listeners) listener();
  }

  #forgetOldest(): void {
    const idle = [...this.#kept].filter(([, { listeners, asking }]) => listeners.size === 0 && asking === undefined);
    for (const [key] of idle.slice(0, Math.max(0, idle.length - MOST_IDLE))) this.#kept.delete(key);
  }
}

/** Arguments in a different order give the same key. */
export function keyOf(route: string, given: unknown): string {
  return `${route} ${JSON.stringify(given ?? {}, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )}`;
}
