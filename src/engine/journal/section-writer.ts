import type { EventJournal, SectionText, SectionTold } from "../../base/ports/stores/event-journal.ts";
import type { Fault } from "../../base/words/event.ts";
import { reportJournal, WriteLoop } from "./write-loop.ts";

const RETRY_MS = 5_000;
const BATCH = 500;
/** A text that is used all the time is marked as in use this often; stores keep texts at least that much longer. */
export const SECTION_REFRESH_MS = 86_400_000;
/** Remembered as written. */
const MOST_KNOWN = 100_000;
/** Characters that may wait for a store that is down; further texts are dropped. */
const MOST_WAITING = 16 * 1024 * 1024;

export type SectionWriterOptions = {
  readonly journal: Pick<EventJournal, "keepSections">;
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
  /** As `JournalWriterOptions.ready`. */
  readonly ready?: () => Promise<void>;
  readonly report: (fault: Fault) => void;
};

/** Writes the texts of prompt sections in the background: each text of a session once a day. */
export class SectionWriter {
  readonly #options: SectionWriterOptions;
  readonly #loop: WriteLoop;
  /** When each was last written, by session and hash. */
  readonly #known = new Map<string, number>();
  #waiting: SectionTold[] = [];
  #characters = 0;

  constructor(options: SectionWriterOptions) {
    const wait = "Prompt texts wait in memory and are written when the store is available again.";
    this.#options = options;
    this.#loop = new WriteLoop({
      write: () => this.#write(),
      onDown: (message) => reportJournal(options.report, "sections-behind", `${message} ${wait}`),
      retryMs: () => RETRY_MS,
    });
  }

  /** Runs inside the turn, so it only queues new texts. Never throws. */
  take(session: string, at: number, sections: readonly SectionText[]): void {
    if (this.#loop.isClosed) return;
    for (const { hash, text } of sections) {
      const key = `${session} ${hash}`;
      const last = this.#known.get(key);
      if (last !== undefined && Math.abs(at - last) < SECTION_REFRESH_MS) continue;
      if (this.#characters + text.length > MOST_WAITING) continue;
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.set(key, at);
      this.#characters += text.length;
      this.#waiting.push({ session, at, hash, text });
    }
    if (this.#waiting.length > 0) this.#loop.schedule();
  }

  /** Tries to write everything that waits. Never rejects. */
  flush(): Promise<void> {
    return this.#loop.flush();
  }

  /** Waits a few seconds for a store that does not answer. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  async #write(): Promise<void> {
    const { journal, redact, ready } = this.#options;
    if (this.#waiting.length > 0) await ready?.();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH);
      await journal.keepSections(batch.map((one) => ({ ...one, text: redact(one.text) })));
      this.#waiting.splice(0, batch.length);
      this.#characters -= batch.reduce((sum, { text }) => sum + text.length, 0);
      this.#loop.succeeded();
    }
  }
}
