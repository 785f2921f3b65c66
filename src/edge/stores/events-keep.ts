import { errorText } from "../../base/kernel/error-text.ts";
import type { EventJournal } from "../../base/ports/event-journal.ts";
import { type JournalState, JournalWriter } from "../../engine/journal/journal-writer.ts";
import { redactWith } from "../../engine/journal/redact-event.ts";
import type { Conduct } from "../../engine/moments/conduct.ts";
import { journalKey } from "./events-key.ts";

const DAY = 86_400_000;
/** A process that lives for less leaves it to others. */
const FIRST_SWEEP_MS = 60_000;
const SWEEP_MS = DAY / 4;

export type KeepJournalOptions = {
  readonly journal: EventJournal;
  /** Conduct's folder: the key is there. */
  readonly home: string;
  /** See `JournalWriter`. */
  readonly durability?: "batch" | "each";
  /** Events older than this go; 30 days unless told. */
  readonly retentionMs?: number;
  readonly now?: () => number;
};

/** `flush` and `close` never reject; call `close` before the store is closed. */
export type KeptJournal = {
  readonly state: () => JournalState;
  readonly flush: () => Promise<JournalState>;
  readonly close: () => Promise<JournalState>;
};

/** From here on what happens in the sessions of a Conduct is kept, for as long as the retention says. */
export function keepJournal(conduct: Pick<Conduct, "subscribe" | "report">, options: KeepJournalOptions): KeptJournal {
  const { journal, home, durability = "batch", retentionMs = 30 * DAY, now = Date.now } = options;
  const writer = new JournalWriter((listener) => conduct.subscribe(listener), {
    journal,
    durability,
    redact: redactWith(journalKey(home)),
    report: (fault) => conduct.report(fault),
  });
  let timer = setTimeout(sweep, FIRST_SWEEP_MS).unref();
  let closed = false;

  async function sweep(): Promise<void> {
    try {
      await journal.expire(now() - retentionMs);
    } catch (error) {
      const message = `Events that are too old could not be removed: ${errorText(error)}`;
      conduct.report({ where: "journal", code: "journal-not-swept", message });
    }
    if (!closed) timer = setTimeout(sweep, SWEEP_MS).unref();
  }

  return {
    state: () => writer.state,
    flush: () => writer.flush(),
    close() {
      closed = true;
      clearTimeout(timer);
      return writer.close();
    },
  };
}
