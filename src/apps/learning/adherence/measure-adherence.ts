import type { AdherenceRow, AdherenceStore } from "../../../base/ports/stores/adherence.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { ContractView } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import { pastRuns } from "../review/past-runs.ts";
import { AdherenceTable, fullerRows } from "./adherence.ts";
import { TurnCounter } from "./count-turn.ts";
import { followAdherence } from "./follow-adherence.ts";
import { beginTurn, type TurnSeen, takeEvent } from "./judge-turn.ts";

/** Journal positions: selects turns whose first prompt is after `after`, up to `upTo`. */
type TurnRange = { readonly after: number; readonly upTo: number };

type AdherenceWorld = {
  readonly events: Pick<EventJournal, "follow" | "read" | "session">;
  readonly contracts: Pick<ContractService, "events">;
};

const PAGE = 1_000;
const TYPES = ["session", "message", "prompt", "call", "result", "stop", "notice"] as const;

/** Measures every directive and rule in the turns that began in a range, including their later events. */
export async function measureAdherence(world: AdherenceWorld, range: TurnRange): Promise<readonly AdherenceRow[]> {
  const history = await world.contracts.events({ limit: Number.POSITIVE_INFINITY });
  const counter = new TurnCounter(history.toReversed());
  const table = new AdherenceTable();
  for await (const turn of turnsOf(world, range)) for (const counted of counter.count(turn)) table.add(counted);
  return table.rows();
}

async function* turnsOf({ events }: AdherenceWorld, { after, upTo }: TurnRange): AsyncIterable<TurnSeen> {
  const open = new Map<string, TurnSeen>();
  const begun = new Set<string>();
  const views = new Map<string, ContractView>();
  for (let at = after; at < upTo; ) {
    const page = await events.follow({ after: at, limit: PAGE, types: TYPES });
    for (const { event, position } of page) {
      if (position > upTo) break;
      if (event.type === "session") {
        openedIn(event, views);
        continue;
      }
      const current = open.get(event.session);
      if (current !== undefined) takeEvent(current, event);
      if (current !== undefined && event.turn > current.turn) {
        yield current;
        open.delete(event.session);
      }
      if (event.type === "message") begun.add(`${event.session} ${event.turn}`);
      if (event.type !== "prompt" || open.get(event.session)?.turn === event.turn) continue;
      if (!(await isFirst(events, event, position, begun))) continue;
      open.set(event.session, beginTurn(event, await viewOf(events, event, views)));
    }
    const last = page.at(-1)?.position;
    if (last === undefined || page.length < PAGE) break;
    at = last;
  }
  for (const turn of open.values()) {
    await readOn(events, turn, upTo);
    yield turn;
  }
}

/** A turn that began before the range is counted in the earlier range. */
async function isFirst(
  events: AdherenceWorld["events"],
  { session, turn }: ConductEvent,
  position: number,
  begun: ReadonlySet<string>,
): Promise<boolean> {
  if (begun.has(`${session} ${turn}`)) return true;
  const { events: before } = await events.read({ session, types: ["prompt"], before: position - 1, limit: 1 });
  return before[0]?.event.turn !== turn;
}

/** Reads the turn's events after the range. */
async function readOn(events: AdherenceWorld["events"], turn: TurnSeen, upTo: number): Promise<void> {
  for (let after = upTo; ; ) {
    const page = await events.follow({ session: turn.session, types: TYPES, after, limit: PAGE });
    for (const { event } of page) {
      takeEvent(turn, event);
      if (event.turn > turn.turn) return;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.position;
  }
}

/** An opening in the range saves a query. */
function openedIn(event: Extract<ConductEvent, { type: "session" }>, known: Map<string, ContractView>): void {
  if (event.change !== "opened" || event.channel === undefined) return;
  const { session, agent, channel, user } = event;
  known.set(session, { agent, channel, user });
}

async function viewOf(
  events: AdherenceWorld["events"],
  { session, agent }: ConductEvent,
  known: Map<string, ContractView>,
): Promise<ContractView> {
  const before = known.get(session);
  if (before !== undefined && before.agent === agent) return before;
  const { channel = "cli", user } = (await events.session(session)) ?? {};
  const view = { agent, channel, user };
  known.set(session, view);
  return view;
}

export type AdherenceSources = {
  readonly events: EventJournal;
  readonly adherence: AdherenceStore;
  readonly governance: GovernanceJournal;
  readonly contracts: ContractService;
  readonly progress?: (progress: { readonly done: number; readonly of: number }) => void;
};

/**
 * The rows since a day. Past runs of the review know turns whose events were deleted before they were counted here, for
 * example before a rebuild.
 */
export async function adherenceSince(sources: AdherenceSources, since: number): Promise<readonly AdherenceRow[]> {
  await followAdherence(sources);
  const from = new Date(since).toISOString().slice(0, 10);
  const runs = await pastRuns(sources.governance);
  const rows = runs.flatMap(({ adherence }) => adherence).filter(({ day }) => day >= from);
  return fullerRows(await sources.adherence.rows(from, "9999"), AdherenceTable.join(rows));
}
