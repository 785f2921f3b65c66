import { errorText } from "../../../../base/kernel/error-text.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import { loadTokenizer } from "../../../../behavior/results/token-counter.ts";
import { nodeIds } from "../../../../edge/host/node/node-ids.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import { homeStores } from "../../../../edge/stores/home-stores.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { ContractService } from "../../../../engine/governance/contract-service.ts";
import { governanceHealth } from "../../../../engine/governance/governance-health.ts";
import { activeSessions } from "../../../../engine/journal/active-sessions.ts";
import { readSwitches } from "../../../daemon/hook-guard/switches.ts";
import { dayBefore, type JournalWorld } from "../../stores/with-store.ts";

const MOST_DENIALS = 1_000;

export type StoreStatus = Awaited<ReturnType<typeof storeStatus>>;

/** The part of the status that comes from the store; loaded only if there is one. */
export async function storeStatus(
  { kind, events: journal, governance, keys }: SqlStore,
  where: string,
  { home, now }: JournalWorld,
) {
  const since = dayBefore(now());
  const { total } = await journal.sessions({ limit: 1 });
  const { denied, rules, last } = await denials(journal, since);
  return {
    store: { kind, where, health: "ok" as string },
    /** Why stored content cannot be read. */
    key: await keys.status().then(() => undefined, errorText),
    contract: await contractOf(governance, now()),
    switches: await readSwitches(home, now(), since, governance),
    events: await journal.count({}),
    sessions: total,
    agents: await journal.agents(),
    active: await activeSessions(journal, now()),
    lastDay: {
      prompts: await journal.count({ types: ["prompt"], since }),
      calls: await journal.count({ types: ["call"], since }),
      denied,
      rules,
    },
    lastDenied: last,
  };
}

/** The part that is known without a store. */
export async function withoutStore({
  env,
  home,
  now,
}: JournalWorld): Promise<Pick<StoreStatus, "contract" | "switches">> {
  const stores = homeStores(storePlace(env, home));
  const contract = await contractOf(stores.governance, now()).finally(() => stores.close());
  return { contract, switches: await readSwitches(home, now(), dayBefore(now()), undefined) };
}

/** Counts the directives in force in all scopes. */
async function contractOf(journal: GovernanceJournal, now: number) {
  const clock = { now: () => now, monotonic: () => 0 };
  const service = new ContractService({ journal, clock, ids: nodeIds(), counter: loadTokenizer });
  const { version, hash } = await service.contract({});
  const state = await service.state();
  const health = await governanceHealth(service);
  // `damage`: why the contract cannot be trusted, and what to do.
  return { version, hash, directives: allDirectives(state).length, damage: health.ok ? undefined : health.reason };
}

/** `rules`: how often each rule denied, among the newest denials. */
async function denials(journal: EventJournal, since: number) {
  const { events } = await journal.read({ denied: true, since, limit: MOST_DENIALS });
  const decisions = events.flatMap(({ event }) =>
    event.type === "call" && event.decision.kind === "deny" ? [event.decision] : [],
  );
  const counts = Object.entries(Object.groupBy(decisions, ({ rule }) => rule)).map(
    ([rule, some = []]) => [rule, some.length] as const,
  );
  const rules = Object.fromEntries(counts.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
  return { denied: await journal.count({ denied: true, since }), rules, last: decisions[0]?.id };
}
