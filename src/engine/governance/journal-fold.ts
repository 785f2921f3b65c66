import { errorText } from "../../base/kernel/error-text.ts";
import type { GovernanceEntry, GovernanceHead, GovernanceJournal } from "../../base/ports/stores/governance.ts";
import { applyEvent, type ContractState, EMPTY_CONTRACT } from "../../behavior/contract/contract-state.ts";
import { readEntry } from "../../behavior/contract/journal-entry.ts";
import { CHAIN_START, verifyChain } from "../journal/governance-chain.ts";

/** The kind of the entry that an operator's repair begins a new part of the chain with. */
export const JOURNAL_REPAIRED = "journal-repaired";

/** Entries read at once. */
const PAGE = 1_000;

/** All entries up to `head`, as the state that they make. `repairedAt`: the newest repair among them, 0 for none. */
export type JournalFold = {
  readonly state: ContractState;
  readonly head: GovernanceHead;
  readonly repairedAt: number;
};

export const EMPTY_FOLD: JournalFold = { state: EMPTY_CONTRACT, head: CHAIN_START, repairedAt: 0 };

/** Where a journal can no longer be relied on, and why. */
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
    if (check.kind === "broken" && entry.seq >= check.seq)
      return fail(
        now,
        entry.seq,
        `the chain of the governance journal is broken at entry ${check.seq} (${check.fault})`,
      );
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
  // Before the journal: a head is stored after its entry, so every head found here must be in what is read next.
  const found = await newestStored(journal);
  if ("fault" in found) return fail(fold, fold.head.seq + 1, found.fault);
  const { stored } = found;
  let now = fold;
  for (;;) {
    const { seq, hash } = now.head;
    const { entries, next, lost } = await journal.read({ from: Math.max(seq, 1), limit: PAGE });
    if (lost) return { ...fail(now, 1, "the table of the governance journal is missing"), stored };
    if (seq > 0 && entries[0]?.hash !== hash)
      return { ...fail(now, seq, `entry ${seq} is not the one that was read before: ${CUT_OFF}`), stored };
    const fresh = seq > 0 ? entries.slice(1) : entries;
    const other = fresh.find((entry) => entry.seq === stored?.seq && entry.hash !== stored.hash);
    const read = foldEntries(now, other === undefined ? fresh : fresh.slice(0, fresh.indexOf(other)));
    if (read.fault !== undefined) return { ...read, stored };
    now = read.fold;
    if (other !== undefined)
      return {
        ...fail(now, other.seq, `entry ${other.seq} does not have the hash that was stored for it: ${REWRITTEN}`),
        stored,
      };
    if (next === undefined) break;
  }
  if (stored !== undefined && stored.seq > now.head.seq) {
    const message = `the governance journal ends at entry ${now.head.seq}, and entry ${stored.seq} was written before: ${CUT_OFF}`;
    return { ...fail(now, now.head.seq + 1, message), stored };
  }
  if (stored?.seq === now.head.seq && stored.hash !== now.head.hash)
    return {
      ...fail(now, stored.seq, `entry ${stored.seq} does not have the hash that was stored for it: ${REWRITTEN}`),
      stored,
    };
  return { fold: now, stored };
}

const CUT_OFF = "the journal was cut off or replaced by an older copy";
const REWRITTEN = "the journal was rewritten";

/** Heads that cannot be read prove nothing any more, so the journal cannot be relied on without them. */
async function newestStored(
  journal: GovernanceJournal,
): Promise<{ readonly stored: GovernanceHead | undefined } | { readonly fault: string }> {
  try {
    return { stored: await journal.witness?.newest() };
  } catch (error) {
    return { fault: errorText(error) };
  }
}

function fail(fold: JournalFold, seq: number, message: string): JournalRead {
  return { fold, fault: { seq, message } };
}
