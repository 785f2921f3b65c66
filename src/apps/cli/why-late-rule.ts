import type { GovernanceJournal } from "../../base/ports/governance.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import { readEntry } from "../../behavior/contract/journal-entry.ts";
import { standingPlace } from "../../engine/governance/standing-place.ts";

/** A standing rule that came when its session had begun: what the session did before `countsFrom` it has not seen. */
export type LateRule = { readonly rule: string; readonly addedAt: number; readonly countsFrom: number };

const PAGE = 1_000;

/** `before` is what the session did up to the event, in any order; a rule that was there from its first event on is not late. */
export async function lateRule(
  governance: Pick<GovernanceJournal, "read">,
  event: ConductEvent,
  before: readonly ConductEvent[],
): Promise<LateRule | undefined> {
  if (event.type !== "call" || event.decision.kind !== "deny") return undefined;
  const { rule, place } = event.decision;
  if (place?.file !== standingPlace(rule)) return undefined;
  const addedAt = await whenAdded(governance, rule, event.at);
  const turns = [...Map.groupBy([...before, event], ({ turn }) => turn)].map(([, some]) =>
    Math.min(...some.map(({ at }) => at)),
  );
  if (addedAt === undefined || Math.min(...turns) >= addedAt) return undefined;
  // A turn goes by the rules that it began with.
  return { rule, addedAt, countsFrom: Math.min(...turns.filter((began) => began >= addedAt), event.at) };
}

/** The last time before the call: a rule may have been taken away and come again. */
async function whenAdded(
  governance: Pick<GovernanceJournal, "read">,
  id: string,
  until: number,
): Promise<number | undefined> {
  let added: number | undefined;
  for (let from: number | undefined = 1; from !== undefined; ) {
    const page: Awaited<ReturnType<GovernanceJournal["read"]>> = await governance.read({
      from,
      kinds: ["rule-added"],
      limit: PAGE,
    });
    for (const entry of page.entries) {
      const change = readEntry(entry);
      if (change === undefined || "fault" in change || change.kind !== "rule-added") continue;
      if (change.rule.id === id && change.at <= until) added = change.at;
    }
    from = page.next;
  }
  return added;
}
