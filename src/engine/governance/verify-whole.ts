import type { GovernanceHead, GovernanceJournal } from "../../base/ports/stores/governance.ts";
import { CHAIN_START, verifyChain } from "../journal/governance-chain.ts";
import type { JournalFault } from "./journal-fold.ts";

/** Small, so that a turn waits for a few milliseconds at most. */
const PAGE = 200;

/** Verifies all entries up to a head, page by page. Returns the first fault; `undefined` when the journal leads to that head. */
export async function verifyWhole(
  journal: Pick<GovernanceJournal, "read">,
  head: GovernanceHead,
): Promise<JournalFault | undefined> {
  let last = CHAIN_START;
  while (last.seq < head.seq) {
    const { entries } = await journal.read({ from: last.seq + 1, to: head.seq, limit: PAGE });
    const check = verifyChain(entries, last);
    if (check.kind === "broken") return { seq: check.seq, message: `entry ${check.seq} is ${check.fault}` };
    if (entries.length === 0) return { seq: last.seq + 1, message: `entry ${last.seq + 1} is missing` };
    last = check.head;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return last.hash === head.hash ? undefined : { seq: head.seq, message: `entry ${head.seq} was replaced` };
}
