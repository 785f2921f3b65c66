import type { Clock } from "../../base/ports/clock.ts";

/** A session's time: follows the wall clock forward, and goes on at the pace of the monotonic one when that jumps back. */
export class SessionClock {
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

  /** All that `work` does happens at one time: an event tells the very time that was decided by. It must not wait. */
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
