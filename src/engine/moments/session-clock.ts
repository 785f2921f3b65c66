import type { Clock } from "../../base/ports/clock.ts";

/** A session's time: follows the wall clock forward, and goes on at the pace of the monotonic one when that jumps back. */
export class SessionClock {
  readonly #clock: Clock;
  readonly #wall: number;
  readonly #monotonic: number;
  #last: number;

  /** `notBefore`: a resumed session never goes back behind what it has already seen. */
  constructor(clock: Clock, notBefore = 0) {
    this.#clock = clock;
    this.#wall = Math.max(clock.now(), notBefore);
    this.#monotonic = clock.monotonic();
    this.#last = this.#wall;
  }

  now(): number {
    const steady = this.#wall + (this.#clock.monotonic() - this.#monotonic);
    this.#last = Math.max(this.#last, this.#clock.now(), Math.floor(steady));
    return this.#last;
  }
}
