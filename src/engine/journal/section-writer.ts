import { errorText } from "../../base/kernel/error-text.ts";
import type { EventJournal, SectionText, SectionTold } from "../../base/ports/stores/event-journal.ts";
import type { Fault } from "../../base/words/event.ts";

const FLUSH_MS = 50;
const RETRY_MS = 5_000;
/** How long `close` waits for a store that does not answer. */
const CLOSE_MS = 5_000;
const BATCH = 500;
/** A text that is told again and again is said to be in use once in this time; stores keep texts so much longer. */
export const SECTION_REFRESH_MS = 86_400_000;
/** Sections of sessions that are remembered as written. */
const MOST_KNOWN = 100_000;
/** So many characters wait for a store that is down; what comes then is not kept. */
const MOST_WAITING = 16 * 1024 * 1024;

export type SectionWriterOptions = {
  readonly journal: Pick<EventJournal, "keepSections">;
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
  /** As `JournalWriterOptions.ready`. */
  readonly ready?: () => Promise<void>;
  readonly report: (fault: Fault) => void;
};

/** Writes the texts of prompts' sections beside their events, behind the turn's back: each text of a session once a day. */
export class SectionWriter {
  readonly #options: SectionWriterOptions;
  /** When each was last handed on, by session and hash. */
  readonly #known = new Map<string, number>();
  #waiting: SectionTold[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isDown = false;
  #closed = false;

  constructor(options: SectionWriterOptions) {
    this.#options = options;
  }

  /** Runs inside the turn: it only puts aside what is new. Never throws. */
  take(session: string, at: number, sections: readonly SectionText[]): void {
    if (this.#closed) return;
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
    if (this.#waiting.length > 0 && this.#timer === undefined && this.#running === undefined)
      this.#later(this.#isDown ? RETRY_MS : FLUSH_MS);
  }

  /** Tries to write all that waits. Never rejects. */
  async flush(): Promise<void> {
    await this.#running;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = this.#write().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** Waits some seconds for a store that does not answer, and not longer. */
  async close(): Promise<void> {
    this.#closed = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.flush(), late]);
    clearTimeout(timer);
    clearTimeout(this.#timer);
  }

  #later(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, ms);
    // The turn's own events keep the process until they are written; a store that is down keeps nobody.
    if (this.#isDown) this.#timer.unref();
  }

  async #write(): Promise<void> {
    if (this.#waiting.length > 0) await this.#options.ready?.();
    while (this.#waiting.length > 0) {
      const told = this.#waiting.slice(0, BATCH);
      try {
        await this.#options.journal.keepSections(told.map((one) => ({ ...one, text: this.#options.redact(one.text) })));
      } catch (error) {
        return this.#failed(errorText(error));
      }
      this.#waiting.splice(0, told.length);
      this.#isDown = false;
      this.#characters -= told.reduce((sum, { text }) => sum + text.length, 0);
    }
  }

  #failed(message: string): void {
    const isFirst = !this.#isDown;
    this.#isDown = true;
    if (!this.#closed) this.#later(RETRY_MS);
    if (!isFirst) return;
    const wait = "Texts of prompts wait in memory and are written when it is back.";
    try {
      this.#options.report({ where: "journal", code: "sections-behind", message: `${message} ${wait}` });
    } catch {
      // Whoever is told must not stop the writing.
    }
  }
}
