import type { GovernanceEntry, GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import { sealEntries } from "../../journal/governance-chain.ts";

/** A journal in memory that a test can break and tamper with. */
export function testJournal() {
  const entries: GovernanceEntry[] = [];
  const state = { broken: false };
  const check = () => {
    if (state.broken) throw new Error("the disk is gone");
  };
  const head = () => {
    const last = entries.at(-1);
    return { seq: last?.seq ?? 0, hash: last?.hash ?? "" };
  };
  const journal: GovernanceJournal = {
    append: async (after, drafts) => {
      check();
      if (after !== head().seq) return "moved";
      const sealed = sealEntries(head(), drafts);
      entries.push(...sealed);
      return { entries: sealed };
    },
    head: async () => head(),
    search: async ({ text, before = Number.POSITIVE_INFINITY, limit }) => {
      const has = (entry: GovernanceEntry) => JSON.stringify(entry).toLowerCase().includes(text.toLowerCase());
      const found = entries.filter((entry) => entry.seq < before && has(entry));
      return found.toReversed().slice(0, limit);
    },
    read: async ({ from = 1, kinds, limit }) => {
      check();
      const found = entries.filter(({ seq, kind }) => seq >= from && (kinds === undefined || kinds.includes(kind)));
      const next = found[limit]?.seq;
      return { entries: found.slice(0, limit), next };
    },
  };
  return { journal, entries, state };
}
