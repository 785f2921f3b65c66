import type { GovernanceEntry, GovernanceJournal, GovernancePage } from "../../base/ports/stores/governance.ts";
import type { ContractEvent } from "../../base/words/contract.ts";
import { contractKinds, readEntry } from "../../behavior/contract/journal-entry.ts";

/** Entries read at once. */
const PAGE = 1_000;

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
