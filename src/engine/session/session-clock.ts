import type { Clock } from "../../base/ports/clock.ts";

export type SessionClock = {
  now(): number;
  /** Freezes the time during `work`, so that an event gets the time of its decision. `work` must be synchronous. */
  atOnce<T>(work: () => T): T;
};

/** Follows the wall clock forward, and the monotonic clock when the wall clock jumps back. */
export class ForwardClock implements SessionClock {
  readonly #clock: Clock;
  #monotonic: number;
  #last: number;
  #held: number | undefined;

  /** `notBefore`: a resumed session never goes back in time. */
  constructor(clock: Clock, notBefore = 0) {
    this.#clock = clock;
    this.#monotonic = clock.monotonic();
    this.#last = Math.max(clock.now(), notBefore);
  }

  atOnce<T>(work: () => T): T {
    if (this.#held !== undefined) return work();
    this.#held = this.now();
    try {
      return work();
    } finally {
      this.#held = undefined;
    }
  }

  now(): number {
    if (this.#held !== undefined) return this.#held;
    const monotonic = this.#clock.monotonic();
    this.#last = Math.max(this.#last + Math.max(0, monotonic - this.#monotonic), this.#clock.now());
    this.#monotonic = monotonic;
    return Math.floor(this.#last);
  }
}
