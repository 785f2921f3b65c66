import type { Clock } from "../../../base/ports/clock.ts";
import { Problem } from "./problem.ts";

/** Limits the open event streams of each user, because every open stream costs a connection. */
export class StreamLimit {
  readonly #open = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Throws a `Problem` at the limit. Returns a function that releases the stream; calling it twice is harmless. */
  take(user: string): () => void {
    const open = this.#open.get(user) ?? 0;
    if (open >= this.#most)
      throw new Problem(
        429,
        "TOO_MANY_STREAMS",
        `You have ${open} open event streams, which is the limit.`,
        "Close a tab or a program that listens, and try again. An operator sets the limit with gateway.streams.",
        { most: this.#most },
      );
    this.#open.set(user, open + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(user) ?? 0) - 1;
      if (left > 0) this.#open.set(user, left);
      else this.#open.delete(user);
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

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Throws a `Problem` if the caller's bucket is empty. */
  take(caller: string): void {
    const { burst, perMinute } = this.#rate;
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(caller) ?? { left: burst, at: now };
    const left = Math.min(burst, known.left + ((now - known.at) / 60_000) * perMinute);
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { left: Math.max(0, left - 1), at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
    if (left >= 1) return;
    const wait = Math.ceil(((1 - left) / perMinute) * 60);
    throw new Problem(429, "TOO_MANY_REQUESTS", "Too many requests.", `Wait ${wait} s.`, { retryAfter: wait });
  }
}
