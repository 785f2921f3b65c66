import type { Clock } from "../../base/ports/clock.ts";

/** A session's time. */
export type SessionClock = {
  now(): number;
  /** All that `work` does happens at one time, so that an event has the very time that was decided by. It must not wait. */
  atOnce<T>(work: () => T): T;
};

/** Follows the wall clock forward, and continues at the pace of the monotonic clock when the wall clock jumps back. */
export class ForwardClock implements SessionClock {
  readonly #clock: Clock;
  #monotonic: number;
  #last: number;
  #held: number | undefined;

  /** `notBefore`: a resumed session never goes back behind what it has already seen. */
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
