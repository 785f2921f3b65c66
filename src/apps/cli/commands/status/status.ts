import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import { loadTokenizer } from "../../../../behavior/results/tokens.ts";
import { nodeIds } from "../../../../edge/host/node/node-ids.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { ContractService } from "../../../../engine/governance/contract-service.ts";
import { governanceHealth } from "../../../../engine/governance/governance-health.ts";
import { activeSessions } from "../../../../engine/journal/active-sessions.ts";
import { readSwitches } from "../../../daemon/hook-guard/switches.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { version } from "../../line/version.ts";
import { commandOf, type JournalWorld, processWorld, TRY_DEMO, withStore } from "../watch/store.ts";
import { dayBefore, momentIn } from "../watch/times.ts";
import { renderStatus, type Status } from "./render.ts";

const MOST_DENIALS = 1_000;

/** `conduct status` */
export const status: CommandBody = (args, terminal) => runStatus(args, terminal, processWorld());

/** Where things are kept, who has been at work, what the last day was like. */
export async function runStatus(_args: Arguments, { paint }: Terminal, world: JournalWorld): Promise<Outcome> {
  const timeOf = momentIn(world.zone, world.now());
  return withStore(
    world,
    async (store, where) => {
      const found = await statusOf(store, where, world);
      const { lastDenied } = found;
      const why =
        lastDenied === undefined
          ? []
          : [{ command: commandOf("why", lastDenied), description: "Why the last one was denied" }];
      const repair = { command: "conduct journal repair --dry-run", description: "See what a repair would come to" };
      const next =
        found.contract.damage !== undefined
          ? [repair]
          : found.events === 0
            ? [TRY_DEMO]
            : [...why, { command: "conduct watch", description: "Watch what comes" }];
      return { ok: true, result: found, text: renderStatus(found, { paint, timeOf }), next };
    },
    async (where) => {
      const { homeStores } = await import("../../../../edge/stores/home-stores.ts");
      const stores = homeStores(storePlace(world.env, world.home));
      // The file may be gone, and the stored heads tell that it had entries.
      const contract = await contractOf(stores.governance, world.now()).finally(() => stores.close());
      const switches = await readSwitches(world.home, world.now(), dayBefore(world.now()), undefined);
      const store = { kind: "sqlite", where, health: "not made yet" } as const;
      const empty: Status = { ...EMPTY, version: version(), store, contract, switches };
      return { ok: true, result: empty, text: renderStatus(empty, { paint, timeOf }), next: [TRY_DEMO] };
    },
  );
}

const EMPTY = {
  events: 0,
  sessions: 0,
  agents: [],
  active: [],
  lastDay: { prompts: 0, calls: 0, denied: 0, rules: {} },
} as const;

async function statusOf(
  { kind, events: journal, governance }: SqlStore,
  where: string,
  { home, now }: JournalWorld,
): Promise<Status> {
  const since = dayBefore(now());
  const { total } = await journal.sessions({ limit: 1 });
  const { denied, rules, last } = await denials(journal, since);
  return {
    version: version(),
    store: { kind, where, health: "ok" },
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

/** All that is in force, whatever its scope. */
async function contractOf(journal: GovernanceJournal, now: number): Promise<Status["contract"]> {
  const clock = { now: () => now, monotonic: () => 0 };
  const counter = () => loadTokenizer();
  const service = new ContractService({ journal, clock, ids: nodeIds(), counter });
  const { version, hash } = await service.contract({});
  const state = await service.state();
  const health = await governanceHealth(service);
  return { version, hash, directives: allDirectives(state).length, ...(health.ok ? {} : { damage: health.reason }) };
}

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
