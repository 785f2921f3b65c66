import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { ConductEvent, Fault } from "../../base/words/event.ts";
import type { Listener } from "./bus.ts";
import type { RedactEvent } from "./redact-event.ts";
import { WaitingEvents } from "./waiting-events.ts";
import { reportJournal, WriteLoop } from "./write-loop.ts";

/** Small enough that an embedded store, which writes on this thread, lets turns run in between. */
const BATCH = 200;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

export type JournalWriterOptions = {
  readonly journal: Pick<EventJournal, "append">;
  readonly redact: RedactEvent;
  /** Gets ready what `redact` needs, before events are written. Never rejects. */
  readonly ready?: () => Promise<void>;
  /** Told when the journal falls behind and when events are lost. */
  readonly report: (fault: Fault) => void;
  /** `each`: every event is on its way at once, for a process that ends after one. `batch` unless told. */
  readonly durability?: "batch" | "each";
  /** Queue limits while the store is down; the oldest events are dropped. */
  readonly maxEvents?: number;
  readonly maxCharacters?: number;
};

/** `behind`: the store failed; events wait and are tried again. */
export type JournalState =
  | { readonly kind: "kept" }
  | { readonly kind: "behind"; readonly waiting: number; readonly dropped: number; readonly message: string };

/** Writes a Conduct's events to the journal in the background: nothing here breaks a turn or makes it wait. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #waiting: WaitingEvents;
  readonly #loop: WriteLoop;
  readonly #unsubscribe: () => void;
  #closing: Promise<JournalState> | undefined;

  constructor(subscribe: (listener: Listener) => () => void, options: JournalWriterOptions) {
    const { redact, report, maxEvents = 10_000, maxCharacters = 64 * 1024 * 1024 } = options;
    const wait = "Events wait in memory and are written when it is back.";
    this.#options = options;
    this.#waiting = new WaitingEvents(redact, { maxEvents, maxCharacters });
    this.#loop = new WriteLoop({
      write: () => this.#write(),
      onDown: (message) => reportJournal(report, "journal-behind", `${message} ${wait}`),
      retryMs: (failures) => Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures),
    });
    this.#unsubscribe = subscribe((event) => this.#take(event));
  }

  get state(): JournalState {
    const { size: waiting, dropped } = this.#waiting;
    const message = this.#loop.failure;
    return message === undefined ? { kind: "kept" } : { kind: "behind", waiting, dropped, message };
  }

  /** Tries to write everything that waits now. Never rejects. */
  async flush(): Promise<JournalState> {
    await this.#loop.flush();
    return this.state;
  }

  /**
   * Takes no more events and writes those it has. Waits a few seconds for a store that does not answer; events that could
   * not be written by then are lost, and this is reported.
   */
  close(): Promise<JournalState> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<JournalState> {
    this.#unsubscribe();
    await this.#loop.close();
    const { state } = this;
    if (state.kind === "behind") {
      const lost = state.waiting + state.dropped;
      const message = `${lost} events were lost: the journal was closed and the store did not take them. ${state.message}`;
      reportJournal(this.#options.report, "journal-lost", message);
    }
    return state;
  }

  /** Runs inside the turn, so it only queues the event. */
  #take(event: ConductEvent): void {
    this.#waiting.add(event);
    this.#loop.schedule(this.#options.durability === "each" || endsTurn(event) ? "now" : "soon");
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
        throw error;
      }
      this.#waiting.settle("written");
      this.#loop.succeeded();
      const lost = this.#waiting.takeDropped();
      if (lost === 0) continue;
      const message = `${lost} events were lost: the store was away for longer than they could wait.`;
      reportJournal(this.#options.report, "journal-lost", message);
    }
  }
}

function endsTurn(event: ConductEvent): boolean {
  return event.type === "stop" || (event.type === "notice" && event.notice.kind === "ended");
}
