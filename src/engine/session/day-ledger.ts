import type { DayUsageStore, UserDay } from "../../base/ports/stores/day-usage.ts";
import type { Usage } from "../../base/words/budget.ts";
import { eachAmount, NOTHING } from "../../behavior/session/budget.ts";

/**
 * What a user has used today, as one session knows it. Every process adds its part to the store before it relies on the
 * sum, so that two processes cannot both take the last call.
 */
export class DayLedger {
  readonly #store: DayUsageStore;
  #of: UserDay | undefined;
  /** The sum in the store after the last write. */
  #known = NOTHING;
  /** Used by this session and not written yet. */
  #unwritten = NOTHING;
  /** Written for calls that are being decided on. */
  #taken = NOTHING;
  #writes: Promise<unknown> = Promise.resolve();

  constructor(store: DayUsageStore) {
    this.#store = store;
  }

  /** The use of the day, without the calls that are being decided on. */
  get usage(): Usage {
    return eachAmount((what) => Math.max(0, this.#known[what] + this.#unwritten[what] - this.#taken[what]));
  }

  /** Counts a change of this session's use. It is written in the background; a failed write is repeated with the next. */
  change(amount: Usage): void {
    if (this.#of === undefined || isNothing(amount)) return;
    this.#unwritten = sum(this.#unwritten, amount);
    // The release of a call that is being decided on writes it: until then the call would count twice.
    if (isNothing(this.#taken)) this.#writeLater();
  }

  /**
   * Reserves an amount in the store, and reads the sum. `release` gives it back; the caller then counts what the call
   * really uses. Rejects if the store fails.
   */
  async take(of: UserDay, amount: Usage = NOTHING): Promise<() => void> {
    await this.#next(async () => {
      if (this.#of !== undefined && this.#of.day !== of.day) await this.#write(this.#of, NOTHING);
      this.#of = of;
      await this.#write(of, amount);
      this.#taken = sum(this.#taken, amount);
    });
    return () => {
      this.#taken = sum(this.#taken, amount, -1);
      this.#unwritten = sum(this.#unwritten, amount, -1);
      this.#writeLater();
    };
  }

  /** Other processes decide by the sum in the store, so nothing stays unwritten. */
  #writeLater(): void {
    void this.flush().catch(() => undefined);
  }

  /** Writes what is not written yet. */
  async flush(): Promise<void> {
    await this.#next(async () => {
      if (this.#of !== undefined && !isNothing(this.#unwritten)) await this.#write(this.#of, NOTHING);
    });
  }

  async #write(of: UserDay, more: Usage): Promise<void> {
    const writing = this.#unwritten;
    this.#unwritten = NOTHING;
    try {
      this.#known = await this.#store.add(of, sum(writing, more));
    } catch (error) {
      this.#unwritten = sum(this.#unwritten, writing);
      throw error;
    }
  }

  /** One write after the other: each returns a sum that contains the ones before. */
  async #next(work: () => Promise<void>): Promise<void> {
    const done = this.#writes.then(work, work);
    this.#writes = done.catch(() => undefined);
    await done;
  }
}

function isNothing(amount: Usage): boolean {
  return Object.values(amount).every((value) => value === 0);
}

/** May be negative, unlike the usage of a session. */
function sum(a: Usage, b: Usage, sign = 1): Usage {
  return eachAmount((what) => a[what] + sign * b[what]);
}
