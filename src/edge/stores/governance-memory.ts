import type { GovernanceEntry, GovernanceJournal } from "../../base/ports/stores/governance.ts";
import { CHAIN_START, sealEntries } from "../../engine/journal/governance-chain.ts";
import { pageOf, readRange, searchRange } from "./governance-range.ts";
import { governanceWords, hasWords, soughtWords } from "./search-words.ts";

/** Keeps the governance journal in this process. */
export function memoryGovernance(): GovernanceJournal {
  const kept: GovernanceEntry[] = [];
  const newest = () => kept.at(-1) ?? CHAIN_START;

  return {
    async append(after, drafts) {
      if (newest().seq !== after) return "moved";
      const entries = sealEntries(newest(), drafts);
      kept.push(...entries);
      return { entries: structuredClone(entries) };
    },
    async head() {
      const { seq, hash } = newest();
      return { seq, hash };
    },
    async read(query) {
      const { from, to, limit } = readRange(query);
      const asked = kept.slice(from - 1, to).filter(({ kind }) => query.kinds?.includes(kind) ?? true);
      return pageOf(structuredClone(asked.slice(0, limit + 1)), limit);
    },
    async search(query) {
      const { to, limit } = searchRange(query);
      const sought = soughtWords(query.text);
      const found = kept.slice(0, to).filter((entry) => hasWords(governanceWords(entry), sought));
      return structuredClone(found.toReversed().slice(0, limit));
    },
  };
}
