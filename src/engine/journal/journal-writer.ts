import { errorText } from "../../base/kernel/error-text.ts";
import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { ConductEvent, Fault } from "../../base/words/event.ts";
import type { Listener } from "./bus.ts";
import type { RedactEvent } from "./redact-event.ts";
import { WaitingEvents } from "./waiting-events.ts";

/** An event waits no longer than this before it is on its way. */
const FLUSH_MS = 50;
/** Small enough that an embedded store, which writes on this thread, gives way to turns in between. */
const BATCH = 200;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
/** How long `close` waits for a store that does not answer. */
const CLOSE_MS = 5_000;

export type JournalWriterOptions = {
  readonly journal: Pick<EventJournal, "append">;
  readonly redact: RedactEvent;
  /** Gets ready what `redact` needs, before events are written. Never rejects. */
  readonly ready?: () => Promise<void>;
  /** Where operators hear that the journal is behind, and what it lost; `conduct.report`. */
  readonly report: (fault: Fault) => void;
  /** `each`: every event is on its way at once, for a process that ends after one. `batch` unless told. */
  readonly durability?: "batch" | "each";
  /** At most so many events and characters wait for a store that is down; the oldest go. */
  readonly maxEvents?: number;
  readonly maxCharacters?: number;
};

/** What became of the events so far. `behind`: the store did not take them; they wait, and are tried again. */
export type JournalState =
  | { readonly kind: "kept" }
  | { readonly kind: "behind"; readonly waiting: number; readonly dropped: number; readonly message: string };

/** Writes a Conduct's events to the journal, behind its back: nothing here breaks a turn or makes it wait. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #waiting: WaitingEvents;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #failure: string | undefined;
  #retryMs = FIRST_RETRY_MS;
  #closed = false;
  #closing: Promise<JournalState> | undefined;

  constructor(subscribe: (listener: Listener) => () => void, options: JournalWriterOptions) {
    const { redact, maxEvents = 10_000, maxCharacters = 64 * 1024 * 1024 } = options;
    this.#options = options;
    this.#waiting = new WaitingEvents(redact, { maxEvents, maxCharacters });
    this.#unsubscribe = subscribe((event) => this.#take(event));
  }

  get state(): JournalState {
    const { size: waiting, dropped } = this.#waiting;
    return this.#failure === undefined
      ? { kind: "kept" }
      : { kind: "behind", waiting, dropped, message: this.#failure };
  }

  /** Tries to write all that waits now. Never rejects. */
  async flush(): Promise<JournalState> {
    await this.#running;
    await this.#start();
    return this.state;
  }

  /**
   * Hears no more events, and writes those it has. Waits some seconds for a store that does not answer, and not longer; what
   * could not be written then is lost, and told.
   */
  close(): Promise<JournalState> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<JournalState> {
    this.#unsubscribe();
    this.#closed = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<JournalState>((resolve) => {
      const { size: waiting, dropped } = this.#waiting;
      const message = `no answer after ${CLOSE_MS} ms`;
      timer = setTimeout(() => resolve({ kind: "behind", waiting, dropped, message }), CLOSE_MS);
    });
    const state = await Promise.race([this.flush(), late]);
    clearTimeout(timer);
    clearTimeout(this.#timer);
    if (state.kind === "behind") {
      const lost = state.waiting + state.dropped;
      const message = `${lost} events were lost: the journal was closed and the store did not take them. ${state.message}`;
      this.#report({ where: "journal", code: "journal-lost", message });
    }
    return state;
  }

  /** Runs inside the turn: it only puts the event aside. */
  #take(event: ConductEvent): void {
    this.#waiting.add(event);
    if (this.#failure !== undefined) return;
    this.#schedule(this.#options.durability === "each" || endsTurn(event) ? 0 : FLUSH_MS);
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined && ms > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#start();
    }, ms);
    // A store that is down keeps no program from ending.
    if (this.#failure !== undefined) this.#timer.unref();
  }

  #start(): Promise<void> {
    this.#running ??= this.#write().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #write(): Promise<void> {
    if (this.#waiting.size > 0) await this.#options.ready?.();
    for (;;) {
      const batch = this.#waiting.first(BATCH);
      if (batch.length === 0) return;
      try {
        await this.#options.journal.append(batch);
      } catch (error) {
        this.#waiting.settle("failed");
        return this.#failed(errorText(error));
      }
      this.#waiting.settle("written");
      this.#succeeded();
    }
  }

  #failed(message: string): void {
    const first = this.#failure === undefined;
    this.#failure = message;
    if (first) {
      const wait = "Events wait in memory and are written when it is back.";
      this.#report({ where: "journal", code: "journal-behind", message: `${message} ${wait}` });
    }
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule(this.#retryMs);
    this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2);
  }

  #succeeded(): void {
    if (this.#failure !== undefined) {
      // The timer that waited for the store would keep newer events waiting too.
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    this.#failure = undefined;
    this.#retryMs = FIRST_RETRY_MS;
    const lost = this.#waiting.takeDropped();
    if (lost === 0) return;
    const message = `${lost} events were lost: the store was away for longer than they could wait.`;
    this.#report({ where: "journal", code: "journal-lost", message });
  }

  #report(fault: Fault): void {
    try {
      this.#options.report(fault);
    } catch {
      // Whoever is told must not stop the writing.
    }
  }
}

function endsTurn(event: ConductEvent): boolean {
  return event.type === "stop" || (event.type === "notice" && event.notice.kind === "ended");
}
