import { errorText } from "../../base/kernel/error-text.ts";
import type { Fault } from "../../base/words/event.ts";
import { withinLimit } from "../moments/gather.ts";

const FLUSH_MS = 50;
/** How long `close` waits for a store that does not answer. */
const CLOSE_MS = 5_000;

type WriteLoopOptions = {
  /**
   * Writes what waits, batch by batch: everything, or the items of some keys. Rejects when the store fails; the loop then
   * tries again.
   */
  readonly write: (only?: ReadonlySet<string>) => Promise<void>;
  /** The store failed for the first time since it last worked. */
  readonly onDown: (message: string) => void;
  /** Milliseconds until the next try, after so many failures in a row. */
  readonly retryMs: (failures: number) => number;
};

/** Writes in the background, one write at a time, and tries again while the store is down. Nothing here rejects. */
export class WriteLoop {
  readonly #options: WriteLoopOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** The keys that the next write is for; `undefined` for everything. */
  #only: Set<string> | undefined = new Set();
  #failures = 0;
  #closed = false;
  /** Why the store does not take anything; `undefined` while it does. */
  failure: string | undefined;

  constructor(options: WriteLoopOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Something waits. While the store is down only the retry writes it. */
  schedule(when: "soon" | "now" = "soon"): void {
    if (this.failure !== undefined || this.#closed) return;
    if (this.#timer !== undefined && when === "soon") return;
    this.#writeIn(when === "now" ? 0 : FLUSH_MS);
  }

  /** Call it after each batch that the store took. */
  succeeded(): void {
    // A timer that waited for the store would delay newer items too.
    if (this.failure !== undefined) this.#stopTimer();
    this.failure = undefined;
    this.#failures = 0;
  }

  /** Writes what waits now: everything, or the items of one key. Calls during a write share the next one. */
  async flush(key?: string): Promise<void> {
    if (key === undefined) this.#only = undefined;
    else this.#only?.add(key);
    await this.#running;
    await this.#start();
  }

  /** Ends the loop after a last try, and does not wait long for a store that does not answer. */
  async close(): Promise<void> {
    this.#closed = true;
    const closed = await withinLimit(CLOSE_MS, () => this.flush());
    this.#stopTimer();
    if ("fault" in closed) this.failure ??= `no answer after ${CLOSE_MS} ms`;
  }

  #start(): Promise<void> {
    this.#running ??= this.#write().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #write(): Promise<void> {
    const only = this.failure === undefined ? this.#only : undefined;
    this.#only = new Set();
    try {
      await this.#options.write(only);
    } catch (error) {
      const first = this.failure === undefined;
      this.failure = errorText(error);
      if (first) this.#options.onDown(this.failure);
      if (!this.#closed) this.#writeIn(this.#options.retryMs(this.#failures));
      this.#failures += 1;
    }
  }

  #writeIn(ms: number): void {
    this.#stopTimer();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#only = undefined;
      void this.#start();
    }, ms);
    // A store that is down keeps no process alive.
    if (this.failure !== undefined) this.#timer.unref();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Reports a fault of the journal; a listener that throws must not stop the writing. */
export function reportJournal(report: (fault: Fault) => void, code: string, message: string): void {
  try {
    report({ where: "journal", code, message });
  } catch {
    // Nobody else to tell.
  }
}
