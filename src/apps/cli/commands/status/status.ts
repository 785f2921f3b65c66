import type { AgentSeen, EventJournal, SessionSummary } from "../../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import { loadTokenizer } from "../../../../behavior/results/token-counter.ts";
import { nodeIds } from "../../../../edge/host/node/node-ids.ts";
import { conductVersion } from "../../../../edge/host/node/package-files.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { ContractService } from "../../../../engine/governance/contract-service.ts";
import { governanceHealth } from "../../../../engine/governance/governance-health.ts";
import { activeSessions } from "../../../../engine/journal/active-sessions.ts";
import { type RuntimeBound, readSwitches, type Switches } from "../../../daemon/hook-guard/switches.ts";
import { count, oneLine, plural } from "../../../shared/printable.ts";
import { asTyped } from "../../line/invocation.ts";
import { done, type Outcome } from "../../line/outcome.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import {
  commandOf,
  dayBefore,
  type JournalWorld,
  momentIn,
  processWorld,
  sessionName,
  TRY_DEMO,
  withStore,
} from "../../stores/with-store.ts";

type Status = Awaited<ReturnType<typeof statusOf>>;

const MOST = 5;

function renderStatus(
  status: Status,
  { paint, timeOf }: { readonly paint: Paint; readonly timeOf: (at: number) => string },
): string {
  const { store, events, sessions, agents, active, lastDay, lastDenied } = status;
  const row = (label: string, text: string) => `  ${paint("dim", label.padEnd(9))}  ${text}`;
  const kind = store.kind === "sqlite" ? "embedded" : "PostgreSQL";
  const head = [
    "",
    `  ${paint("bold", `Conduct ${status.version}`)}`,
    "",
    row("store", `${oneLine(store.where)} (${kind}) · ${store.health}`),
  ];
  const { version, hash, directives, damage } = status.contract;
  const inForce = directives === 0 ? "empty" : `${plural(directives, "directive")} · ${hash.slice(0, 6)}`;
  head.push(row("contract", damage === undefined ? `v${version}, ${inForce}` : paint("red", oneLine(damage))));
  head.push(...switchRows(status.switches, row, { paint, timeOf }));
  if (events === 0) {
    const empty = "nothing yet: run an agent under Conduct to see agents, sessions and denials here";
    return [...head, row("stored", empty), row("try", "conduct demo"), "", ""].join("\n");
  }
  const rules = Object.entries(lastDay.rules).slice(0, MOST);
  const denied = rules.map(([rule, times]) => `${count(times)} by ${oneLine(rule)}`).join(", ");
  const day = `${plural(lastDay.prompts, "prompt")} · ${plural(lastDay.calls, "call")} · ${count(lastDay.denied)} denied`;
  return [
    ...head,
    row("stored", `${plural(events, "event")} of ${plural(sessions, "session")}`),
    ...agents.slice(0, MOST).map((one, at) => row(at === 0 ? "agents" : "", agentText(one, timeOf))),
    ...(agents.length > MOST ? [row("", `and ${agents.length - MOST} more`)] : []),
    row("active", active.length === 0 ? "no session in the last hour" : plural(active.length, "session")),
    ...active.slice(0, MOST).map((one) => row("", sessionText(one, timeOf))),
    row("last day", day),
    ...(denied === "" ? [] : [row("", denied)]),
    ...(lastDenied === undefined ? [] : [row("ask", `conduct why ${oneLine(lastDenied)}`)]),
    "",
    "",
  ].join("\n");
}

type Row = (label: string, text: string) => string;

/** Enforcement: a pause, each runtime's binding, warnings. Empty if nothing is set up. */
function switchRows(
  { paused, forgedPause, runtimes, noticed }: Switches,
  row: Row,
  { paint, timeOf }: { readonly paint: Paint; readonly timeOf: (at: number) => string },
): readonly string[] {
  const rows: string[] = [];
  if (paused !== null) {
    const by = `by ${oneLine(paused.by)} (${oneLine(paused.proof)})`;
    rows.push(
      row(
        "paused",
        paint("amber", `⏸ nothing is enforced until ${timeOf(paused.until)}, ${by}; to end the pause: conduct resume`),
      ),
    );
  }
  if (forgedPause !== undefined)
    rows.push(row("paused", paint("red", `✗ not paused: the pause file is forged, ${forgedPause}`)));
  rows.push(...runtimes.map((one, at) => row(at === 0 ? "runtimes" : "", runtimeText(one, paint))));
  const [last] = noticed;
  if (last !== undefined) {
    const times = noticed.length === 1 ? "once" : `${count(noticed.length)} times`;
    rows.push(row("noticed", paint("red", `! ${times} in the last day, last at ${timeOf(last.at)}:`)));
    rows.push(row("", oneLine(last.message)));
  }
  return rows;
}

function runtimeText({ runtime, enforcement, missing }: RuntimeBound, paint: Paint): string {
  const bound = enforcement === "enforce" ? "enforced" : "shadow mode";
  const [first] = missing;
  if (first === undefined) return `${runtime} · ${bound}`;
  const why = `hooks are missing in ${oneLine(first.path)}: ${first.why}; to repair: conduct init ${runtime}`;
  return `${runtime} · ${bound} · ${paint("red", why)}`;
}

function agentText({ agent, sessions, lastAt }: AgentSeen, timeOf: (at: number) => string): string {
  return `${oneLine(agent)} · ${plural(sessions, "session")}, last at ${timeOf(lastAt)}`;
}

function sessionText(one: SessionSummary, timeOf: (at: number) => string): string {
  const label = one.label === undefined ? "" : ` “${oneLine(one.label)}”`;
  const denied = one.denials === 0 ? "" : ` · ${count(one.denials)} denied`;
  return `${sessionName(one)}${label} · ${plural(one.turns, "turn")} · ${plural(one.calls, "call")}${denied} · ${timeOf(one.lastAt)}`;
}

const MOST_DENIALS = 1_000;

/** Shows the store, the recent sessions and the figures of the last day. */
export async function status(
  _args: object,
  { paint, invocation }: Terminal,
  world: JournalWorld = processWorld(),
): Promise<Outcome> {
  const timeOf = momentIn(world.zone, world.now());
  return withStore(
    world,
    async (store, where) => {
      const found = await statusOf(store, where, world);
      const { lastDenied } = found;
      const why =
        lastDenied === undefined
          ? []
          : [{ command: commandOf("why", lastDenied), description: "Explain the newest denial" }];
      const repair = { command: "conduct journal repair --dry-run", description: "Show what a repair would do" };
      const next =
        found.contract.damage !== undefined
          ? [repair]
          : found.events === 0
            ? [TRY_DEMO]
            : [...why, { command: "conduct watch", description: "Watch live" }];
      return done(found, asTyped(renderStatus(found, { paint, timeOf }), invocation), next);
    },
    async (where) => {
      const { homeStores } = await import("../../../../edge/stores/home-stores.ts");
      const stores = homeStores(storePlace(world.env, world.home));
      // The file may be missing although the saved heads show that it had entries.
      const contract = await contractOf(stores.governance, world.now()).finally(() => stores.close());
      const switches = await readSwitches(world.home, world.now(), dayBefore(world.now()), undefined);
      const store = { kind: "sqlite", where, health: "not created yet" } as const;
      const empty: Status = { ...EMPTY, lastDenied: undefined, version: conductVersion(), store, contract, switches };
      return done(empty, asTyped(renderStatus(empty, { paint, timeOf }), invocation), [TRY_DEMO]);
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

async function statusOf({ kind, events: journal, governance }: SqlStore, where: string, { home, now }: JournalWorld) {
  const since = dayBefore(now());
  const { total } = await journal.sessions({ limit: 1 });
  const { denied, rules, last } = await denials(journal, since);
  return {
    version: conductVersion(),
    store: { kind, where, health: "ok" as string },
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
