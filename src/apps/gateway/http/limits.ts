import type { Clock } from "../../../base/ports/clock.ts";
import { Problem } from "./problem.ts";

/** Limits the open event streams of each user, because every open stream costs a connection. */
export class StreamLimit {
  readonly #open = new Map<string, number>();
  /** Open streams at other gateways, as they last told. */
  readonly #elsewhere = new Map<string, ReadonlyMap<string, number>>();
  readonly #changes = new Set<() => void>();
  readonly #most: number;
  /** Streams of a gateway that is gone are closed. */
  isAlive: (gateway: string) => boolean = () => false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Open streams of this gateway, by user. */
  get own(): ReadonlyMap<string, number> {
    return this.#open;
  }

  /** Calls back when a stream was opened or closed here. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#changes.add(listener);
    return () => void this.#changes.delete(listener);
  }

  /** Notes all open streams of another gateway. */
  hear(gateway: string, open: ReadonlyMap<string, number>): void {
    for (const known of this.#elsewhere.keys()) if (!this.isAlive(known)) this.#elsewhere.delete(known);
    this.#elsewhere.set(gateway, open);
  }

  #openOf(user: string): number {
    let open = this.#open.get(user) ?? 0;
    for (const [gateway, users] of this.#elsewhere) if (this.isAlive(gateway)) open += users.get(user) ?? 0;
    return open;
  }

  /** Throws a `Problem` at the limit. Returns a function that releases the stream; calling it twice is harmless. */
  take(user: string): () => void {
    const open = this.#openOf(user);
    if (open >= this.#most)
      throw new Problem(
        429,
        "TOO_MANY_STREAMS",
        `You have ${open} open event streams, which is the limit.`,
        "Close a tab or a program that listens, and try again. An operator sets the limit with gateway.streams.",
        { most: this.#most },
      );
    this.#open.set(user, (this.#open.get(user) ?? 0) + 1);
    for (const tell of this.#changes) tell();
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(user) ?? 0) - 1;
      if (left > 0) this.#open.set(user, left);
      else this.#open.delete(user);
      for (const tell of this.#changes) tell();
    };
  }
}

/** Above this number of callers, the longest idle one is dropped. */
const MOST_CALLERS = 10_000;

/** `burst` requests at once, then `perMinute`. */
export type Rate = { readonly burst: number; readonly perMinute: number };

export class RateLimit {
  readonly #buckets = new Map<string, { left: number; at: number }>();
  readonly #rate: Rate;
  readonly #clock: Clock;
  readonly #listeners = new Set<(caller: string) => void>();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Calls back with the caller of every request that was counted here. Returns a function that unsubscribes. */
  onTaken(listener: (caller: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Counts requests that the caller sent to another gateway. */
  spend(caller: string, times: number): void {
    this.#count(caller, times);
  }

  /** Throws a `Problem` if the caller's bucket is empty. */
  take(caller: string): void {
    const left = this.#count(caller, 1);
    for (const tell of this.#listeners) tell(caller);
    if (left >= 1) return;
    const wait = Math.ceil(((1 - left) / this.#rate.perMinute) * 60);
    throw new Problem(429, "TOO_MANY_REQUESTS", "Too many requests.", `Wait ${wait} s.`, { retryAfter: wait });
  }

  /** Returns what was left before. */
  #count(caller: string, times: number): number {
    const { burst, perMinute } = this.#rate;
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(caller) ?? { left: burst, at: now };
    const left = Math.min(burst, known.left + ((now - known.at) / 60_000) * perMinute);
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { left: Math.max(0, left - times), at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
    return left;
  }
}

export type Limits = {
  readonly rate: RateLimit;
  /** For the moments of agents. */
  readonly frequent: RateLimit;
  readonly streams: StreamLimit;
};
