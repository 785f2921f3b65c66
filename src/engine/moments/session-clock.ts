import type { Clock } from "../../base/ports/clock.ts";

/** A session's time: follows the wall clock forward, and goes on at the pace of the monotonic one when that jumps back. */
export class SessionClock {
  readonly #clock: Clock;
  #monotonic: number;
  #last: number;

  /** `notBefore`: a resumed session never goes back behind what it has already seen. */
  constructor(clock: Clock, notBefore = 0) {
    this.#clock = clock;
    this.#monotonic = clock.monotonic();
    this.#last = Math.max(clock.now(), notBefore);
  }

  now(): number {
    const monotonic = this.#clock.monotonic();
    this.#last = Math.max(this.#last + Math.max(0, monotonic - this.#monotonic), this.#clock.now());
    this.#monotonic = monotonic;
    return Math.floor(this.#last);
  }
}
