import type { Clock } from "../../../base/ports/clock.ts";
import { Problem } from "./route.ts";

/** Callers that are remembered; beyond that the oldest starts anew. */
const MOST_CALLERS = 10_000;

/** `burst` at once, then `perMinute`. */
export type Rate = { readonly burst: number; readonly perMinute: number };

/** A bucket of requests for each caller that fills again by the minute. */
export class RateLimit {
  readonly #buckets = new Map<string, { left: number; at: number }>();
  readonly #rate: Rate;
  readonly #clock: Clock;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Throws when the caller has used up what it has. */
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
    throw new Problem(429, "TOO_MANY_REQUESTS", "Too many requests.", {
      fix: `Wait ${wait} s.`,
      detail: { retryAfter: wait },
    });
  }
}
