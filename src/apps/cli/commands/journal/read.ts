import type { GovernanceEntry, GovernanceJournal } from "../../../../base/ports/stores/governance.ts";

const PAGE = 1_000;

/** The governance journal page by page, the oldest first. */
export async function* readPages(
  journal: Pick<GovernanceJournal, "read">,
  range: { readonly from?: number; readonly to?: number } = {},
): AsyncGenerator<readonly GovernanceEntry[]> {
  for (let from: number | undefined = range.from ?? 1; from !== undefined; ) {
    const page: Awaited<ReturnType<GovernanceJournal["read"]>> = await journal.read({ ...range, from, limit: PAGE });
    if (page.entries.length > 0) yield page.entries;
    from = page.next;
  }
}
