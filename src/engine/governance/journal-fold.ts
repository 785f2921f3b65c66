import { errorText } from "../../base/kernel/error-text.ts";
import type {
  GovernanceEntry,
  GovernanceHead,
  GovernanceJournal,
  GovernancePage,
} from "../../base/ports/stores/governance.ts";
import type { ContractEvent } from "../../base/words/contract.ts";
import { applyEvent, type ContractState, EMPTY_CONTRACT } from "../../behavior/contract/contract-state.ts";
import { contractKinds, readEntry } from "../../behavior/contract/journal-entry.ts";
import { CHAIN_START, verifyChain } from "../journal/governance-chain.ts";

/** Small, so that a turn waits for a few milliseconds at most. */
const SMALL_PAGE = 200;

/** Verifies all entries up to a head, page by page. Returns the first fault; `undefined` when the journal leads to that head. */
export async function verifyWhole(
  journal: Pick<GovernanceJournal, "read">,
  head: GovernanceHead,
): Promise<JournalFault | undefined> {
  let last = CHAIN_START;
  while (last.seq < head.seq) {
    const { entries } = await journal.read({ from: last.seq + 1, to: head.seq, limit: SMALL_PAGE });
    const check = verifyChain(entries, last);
    if (check.kind === "broken") return { seq: check.seq, message: `entry ${check.seq} is ${check.fault}` };
    if (entries.length === 0) return { seq: last.seq + 1, message: `entry ${last.seq + 1} is missing` };
    last = check.head;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return last.hash === head.hash ? undefined : { seq: head.seq, message: `entry ${head.seq} was replaced` };
}

/** Kind of the entry that records a repair. */
export const JOURNAL_REPAIRED = "journal-repaired";

/** Entries read at once. */
const PAGE = 1_000;

/** The state after all entries up to `head`. `repairedAt` is the newest repair, 0 for none. */
export type JournalFold = {
  readonly state: ContractState;
  readonly head: GovernanceHead;
  readonly repairedAt: number;
};

export const EMPTY_FOLD: JournalFold = { state: EMPTY_CONTRACT, head: CHAIN_START, repairedAt: 0 };

/** The first entry that cannot be trusted, and why. */
export type JournalFault = { readonly seq: number; readonly message: string };

/** What was read. With a `fault`, `fold` holds the entries before it. */
export type JournalRead = {
  readonly fold: JournalFold;
  readonly fault?: JournalFault;
  /** The newest head that is stored outside the journal, as it was before the journal was read. */
  readonly stored?: GovernanceHead | undefined;
};

/** Adds entries that follow the fold. Stops before the first one that does not verify or cannot be read. */
export function foldEntries(fold: JournalFold, entries: readonly GovernanceEntry[]): JournalRead {
  const check = verifyChain(entries, fold.head);
  let now = fold;
  for (const entry of entries) {
    if (check.kind === "broken" && entry.seq >= check.seq) {
      const message = `the chain of the governance journal is broken at entry ${check.seq} (${check.fault})`;
      return fail(now, entry.seq, message);
    }
    const event = readEntry(entry);
    if (event !== undefined && "fault" in event) return fail(now, entry.seq, event.fault);
    const state = event === undefined ? now.state : applyEvent(now.state, event);
    if (state.fault !== undefined) return fail(now, entry.seq, state.fault.message);
    const repairedAt = entry.kind === JOURNAL_REPAIRED ? entry.seq : now.repairedAt;
    now = { state, head: { seq: entry.seq, hash: entry.hash }, repairedAt };
  }
  return { fold: now };
}

/**
 * Reads on from a fold to the end of the journal, and compares the end with the head that is stored outside. Rejects only when the
 * journal cannot be read at all.
 */
export async function readOn(journal: GovernanceJournal, fold: JournalFold): Promise<JournalRead> {
  // Read before the journal: heads are stored after their entries, so each must be found in it.
  const found = await newestStored(journal);
  if ("fault" in found) return fail(fold, fold.head.seq + 1, found.fault);
  const { stored } = found;
  let now = fold;
  for (;;) {
    const { seq, hash } = now.head;
    const { entries, next, lost } = await journal.read({ from: Math.max(seq, 1), limit: PAGE });
    if (lost) return fail(now, 1, "the table of the governance journal is missing", stored);
    if (seq > 0 && entries[0]?.hash !== hash) {
      return fail(now, seq, `entry ${seq} is not the one that was read before: ${CUT_OFF}`, stored);
    }
    const fresh = seq > 0 ? entries.slice(1) : entries;
    const other = fresh.find((entry) => entry.seq === stored?.seq && entry.hash !== stored.hash);
    const read = foldEntries(now, other === undefined ? fresh : fresh.slice(0, fresh.indexOf(other)));
    if (read.fault !== undefined) return { ...read, stored };
    now = read.fold;
    if (other !== undefined) return fail(now, other.seq, rewritten(other.seq), stored);
    if (next === undefined) break;
  }
  if (stored !== undefined && stored.seq > now.head.seq) {
    const message = `the governance journal ends at entry ${now.head.seq}, and entry ${stored.seq} was written before: ${CUT_OFF}`;
    return fail(now, now.head.seq + 1, message, stored);
  }
  if (stored?.seq === now.head.seq && stored.hash !== now.head.hash) {
    return fail(now, stored.seq, rewritten(stored.seq), stored);
  }
  return { fold: now, stored };
}

const CUT_OFF = "the journal was cut off or replaced by an older copy";

function rewritten(seq: number): string {
  return `entry ${seq} does not have the hash that was stored for it: the journal was rewritten`;
}

/** Without readable heads the journal cannot be trusted. */
async function newestStored(
  journal: GovernanceJournal,
): Promise<{ readonly stored: GovernanceHead | undefined } | { readonly fault: string }> {
  try {
    return { stored: await journal.witness?.newest() };
  } catch (error) {
    return { fault: errorText(error) };
  }
}

function fail(fold: JournalFold, seq: number, message: string, stored?: GovernanceHead): JournalRead {
  return { fold, fault: { seq, message }, stored };
}

/** Every change of the contract, the oldest first. Rejects when one of them cannot be read. */
export async function contractHistory(journal: GovernanceJournal): Promise<ContractEvent[]> {
  const events: ContractEvent[] = [];
  for (let from: number | undefined = 1; from !== undefined; ) {
    const page: GovernancePage = await journal.read({ from, kinds: contractKinds(), limit: PAGE });
    events.push(...eventsOf(page.entries));
    from = page.next;
  }
  return events;
}

/** Changes whose entry contains the words, the newest first. */
export async function searchEvents(
  journal: GovernanceJournal,
  text: string,
  before: number,
  limit: number,
): Promise<readonly ContractEvent[]> {
  const events: ContractEvent[] = [];
  for (let from = before; events.length < limit; ) {
    const found = await journal.search({ text, before: from, limit: PAGE });
    events.push(...eventsOf(found));
    if (found.length < PAGE) break;
    from = found.at(-1)?.seq ?? 0;
  }
  return events.slice(0, limit);
}

function eventsOf(entries: readonly GovernanceEntry[]): readonly ContractEvent[] {
  return entries.flatMap((entry) => {
    const event = readEntry(entry);
    // A history with a gap would be a different history.
    if (event !== undefined && "fault" in event) throw new Error(`${event.fault}: run conduct journal verify`);
    return event ?? [];
  });
}
