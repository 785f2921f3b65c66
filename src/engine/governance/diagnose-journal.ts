import type { GovernanceEntry, GovernanceHead } from "../../base/ports/stores/governance.ts";
import type { FoundJournal } from "../../base/ports/stores/governance-repair.ts";
import { verifyChain } from "../journal/governance-chain.ts";
import { EMPTY_FOLD, foldEntries, JOURNAL_REPAIRED, type JournalFault, type JournalFold } from "./journal-fold.ts";

/**
 * `heads`: the chain is intact, and only this machine's stored heads must be written again. `broken`: entries up to
 * `keep` can be trusted.
 */
export type Diagnosis =
  | { readonly kind: "whole"; readonly fold: JournalFold }
  | {
      readonly kind: "heads";
      readonly why: string;
      readonly fold: JournalFold;
      readonly heads: readonly GovernanceHead[];
    }
  | { readonly kind: "broken"; readonly fault: JournalFault; readonly keep: JournalFold };

/** Compares every entry with the chain and with the head that was stored for it. */
export function diagnoseJournal({ entries, heads, headsFault }: FoundJournal): Diagnosis {
  const alone = foldEntries(EMPTY_FOLD, entries);
  const elsewhere = repairedElsewhere(entries, heads);
  if (alone.fault === undefined && (headsFault !== undefined || elsewhere !== undefined)) {
    const why =
      headsFault ?? `the journal was repaired from another machine (entry ${elsewhere?.seq} by ${elsewhere?.by})`;
    return { kind: "heads", why, fold: alone.fold, heads: entries.map(({ seq, hash }) => ({ seq, hash })) };
  }
  const other = entries.find(({ seq, hash }) => heads.has(seq) && heads.get(seq) !== hash);
  const upTo = other === undefined ? entries : entries.slice(0, entries.indexOf(other));
  const read = foldEntries(EMPTY_FOLD, upTo);
  if (read.fault !== undefined)
    return { kind: "broken", fault: read.fault, keep: beforeReplaced(upTo, read.fold, heads) };
  if (other !== undefined) {
    const message = `entry ${other.seq} does not have the hash that was stored for it: the journal was rewritten`;
    return { kind: "broken", fault: { seq: other.seq, message }, keep: read.fold };
  }
  const newest = Math.max(0, ...heads.keys());
  if (newest <= read.fold.head.seq) return { kind: "whole", fold: read.fold };
  const end = read.fold.head.seq;
  const message = `the journal ends at entry ${end}, and entry ${newest} was written before: entries ${end + 1} to ${newest} are gone`;
  return { kind: "broken", fault: { seq: end + 1, message }, keep: read.fold };
}

/** If two entries are not linked, the first one may be forged; only its stored head proves that it is not. */
function beforeReplaced(
  entries: readonly GovernanceEntry[],
  fold: JournalFold,
  heads: FoundJournal["heads"],
): JournalFold {
  const check = verifyChain(entries);
  const { seq } = fold.head;
  if (check.kind !== "broken" || check.fault !== "unlinked" || heads.has(seq)) return fold;
  return foldEntries(
    EMPTY_FOLD,
    entries.filter((entry) => entry.seq < seq),
  ).fold;
}

/** A repair from another machine that explains why this machine's heads do not fit. */
function repairedElsewhere(
  entries: readonly GovernanceEntry[],
  heads: FoundJournal["heads"],
): GovernanceEntry | undefined {
  const hashes = new Map(entries.map(({ seq, hash }) => [seq, hash]));
  const wrong = [...heads].filter(([seq, hash]) => hashes.get(seq) !== hash).map(([seq]) => seq);
  if (wrong.length === 0) return undefined;
  const first = Math.min(...wrong);
  return entries.findLast(
    ({ kind, seq, hash }) => kind === JOURNAL_REPAIRED && seq <= first && heads.get(seq) !== hash,
  );
}
