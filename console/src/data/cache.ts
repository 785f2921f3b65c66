import { type Answer, type GatewayError, type Given, type JsonKey, type Outcome, send } from "./client.ts";

/** What is known of one read. `stale` data is shown while a newer answer is fetched; `error` is why the last try failed. */
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
  /** Counts invalidations, so that an answer to an older question is not taken for fresh. */
  round: number;
  asking: Promise<void> | undefined;
};

type Send = (route: JsonKey, given: unknown) => Promise<Outcome<unknown>>;

const NOTHING: Entry = { data: undefined, error: undefined, loading: true, stale: true };
/** Answers that nobody looks at are let go beyond this many. */
const MOST_IDLE = 200;

/**
 * Answers by route and arguments: shown at once when they are known, asked for again when they are stale. One request for
 * one question at a time, however many parts of the screen ask it.
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

  /** Hears of every change of the entry; fetches it when it is not fresh. Returns what ends it. */
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

  /** Puts an answer in place of what is known, until the gateway says otherwise: for changes that cannot be refused. */
  set<K extends JsonKey>(route: K, given: Given<K> | undefined, change: (before: Answer<K>) => Answer<K>): void {
    const kept = this.#of(route, given);
    if (kept.entry.data === undefined) return;
    this.#put(kept, { ...kept.entry, data: change(kept.entry.data as Answer<K>) });
  }

  /** What matches is asked for again, now where somebody looks at it, else when somebody does. */
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

  /** One request under way; what was invalidated meanwhile is asked once more afterwards. */
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

/** The same arguments in another order are the same question. */
export function keyOf(route: string, given: unknown): string {
  return `${route} ${JSON.stringify(given ?? {}, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )}`;
}
