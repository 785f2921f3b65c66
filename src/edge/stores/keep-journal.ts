import { randomBytes } from "node:crypto";
import { errorText } from "../../base/kernel/error-text.ts";
import type { EventJournal, SectionText } from "../../base/ports/stores/event-journal.ts";
import type { Fault } from "../../base/words/event.ts";
import { type JournalState, JournalWriter, type JournalWriterOptions } from "../../engine/journal/journal-writer.ts";
import { redactTextWith, redactWith } from "../../engine/journal/redact-event.ts";
import { SectionWriter } from "../../engine/journal/section-writer.ts";
import type { Conduct } from "../../engine/session/conduct.ts";

const DAY = 86_400_000;
/** Older events are deleted. */
export const RETENTION_MS = 30 * DAY;
/** Short-lived processes leave the sweep to others. */
const FIRST_SWEEP_MS = 60_000;
const SWEEP_MS = DAY / 4;

export type KeepJournalOptions = {
  readonly journal: EventJournal;
  /** The key under which secrets are hashed; see `StoreKeys.journal`. */
  readonly key: () => Promise<Uint8Array>;
  readonly now?: () => number;
  /** See `JournalWriterOptions`. */
  readonly durability?: JournalWriterOptions["durability"];
};

/**
 * Writes all events of a Conduct to the journal from now on, and deletes them after the retention time. `flush` and
 * `close` never reject; call `close` before the store is closed.
 */
export function keepJournal(conduct: Pick<Conduct, "subscribe" | "report">, options: KeepJournalOptions) {
  const { journal, durability, now = Date.now } = options;
  const report: Conduct["report"] = (fault) => conduct.report(fault);
  const { key, ready } = keyLater(options.key, report);
  const subscribe: Conduct["subscribe"] = (listener) => conduct.subscribe(listener);
  const writer = new JournalWriter(subscribe, { journal, redact: later(key, redactWith), ready, report, durability });
  const texts = new SectionWriter({ journal, redact: later(key, redactTextWith), ready, report });
  let timer = setTimeout(sweep, FIRST_SWEEP_MS).unref();
  let closed = false;

  async function sweep(): Promise<void> {
    try {
      await journal.expire(now() - RETENTION_MS);
    } catch (error) {
      const message = `Expired events could not be deleted: ${errorText(error)}`;
      report({ where: "journal", code: "journal-not-swept", message });
    }
    if (!closed) timer = setTimeout(sweep, SWEEP_MS).unref();
  }

  return {
    state: () => writer.state,
    async flush(conversation?: string): Promise<JournalState> {
      const [state] = await Promise.all([writer.flush(conversation), texts.flush()]);
      return state;
    },
    async close(): Promise<JournalState> {
      closed = true;
      clearTimeout(timer);
      const [state] = await Promise.all([writer.close(), texts.close()]);
      return state;
    },
    /** The texts of a prompt's sections; for the port `keepSections`. */
    keepSections: (session: string, at: number, sections: readonly SectionText[]) => texts.take(session, at, sections),
  };
}

/**
 * The key is read when events are first written, so opening a Conduct creates no file and cannot fail because of the
 * key. A random key is used until then.
 */
function keyLater(find: () => Promise<Uint8Array>, report: (fault: Fault) => void) {
  let found: Uint8Array | undefined;
  let random: Uint8Array | undefined;
  let isReported = false;

  async function ready(): Promise<void> {
    if (found !== undefined) return;
    try {
      found = await find();
    } catch (error) {
      if (isReported) return;
      isReported = true;
      const message = `${errorText(error)} Until this is fixed, equal secrets get equal hashes only within this process.`;
      // Later, because the fault is an event itself.
      queueMicrotask(() => report({ where: "journal", code: "journal-key", message }));
    }
  }
  function key(): Uint8Array {
    if (found !== undefined) return found;
    random ??= randomBytes(32);
    return random;
  }
  return { ready, key };
}

/** Creates the function once for each key. */
function later<T>(key: () => Uint8Array, make: (key: Uint8Array) => (given: T) => T): (given: T) => T {
  let made: { readonly key: Uint8Array; readonly redact: (given: T) => T } | undefined;
  return (given) => {
    const now = key();
    if (made?.key !== now) made = { key: now, redact: make(now) };
    return made.redact(given);
  };
}
