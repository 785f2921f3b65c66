import type { GovernanceEntry, GovernanceHead, GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import { CHAIN_START } from "../../../engine/journal/governance-chain.ts";
import { toDocument } from "./history-document.ts";
import type { HistoryIndex } from "./history-index.ts";

const PAGE = 500;

export type Projected = { readonly taken: number; readonly position: GovernanceHead };

/**
 * Brings an index up to the journal's end. The journal is the outbox and the index keeps its place in it, so nothing is lost
 * whatever fails, and whoever writes waits for nothing: what was taken in twice stands there once. An index of another
 * journal, or of one that was restored, is made anew.
 */
export async function projectTo(journal: GovernanceJournal, index: HistoryIndex): Promise<Projected> {
  let position = await index.position();
  if (!(await isOf(journal, position))) {
    await index.clear();
    position = CHAIN_START;
  }
  let taken = 0;
  for (;;) {
    const { entries } = await journal.read({ from: position.seq + 1, limit: PAGE });
    const last = entries.at(-1);
    if (last === undefined) return { taken, position };
    position = headOf(last);
    await index.put(entries.map(toDocument), position);
    taken += entries.length;
  }
}

/** From nothing. */
export async function rebuildIndex(journal: GovernanceJournal, index: HistoryIndex): Promise<Projected> {
  await index.clear();
  return projectTo(journal, index);
}

async function isOf(journal: GovernanceJournal, { seq, hash }: GovernanceHead): Promise<boolean> {
  if (seq === 0) return true;
  const { entries } = await journal.read({ from: seq, to: seq, limit: 1 });
  return entries[0]?.hash === hash;
}

function headOf({ seq, hash }: GovernanceEntry): GovernanceHead {
  return { seq, hash };
}
