import type { AdherenceStore, CountedTurn, LastTurn } from "../../../base/ports/stores/adherence.ts";
import type { EventJournal, KeptEvent } from "../../../base/ports/stores/event-journal.ts";
import type { ContractView } from "../../../base/words/contract.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import { AdherenceTable } from "./adherence.ts";
import { TurnCounter } from "./count-turn.ts";
import { beginTurn, type TurnSeen, takeEvent } from "./judge-turn.ts";

type FollowWorld = {
  readonly events: Pick<EventJournal, "follow" | "head" | "session">;
  readonly adherence: AdherenceStore;
  readonly contracts: Pick<ContractService, "events">;
  readonly progress?: (progress: { readonly done: number; readonly of: number }) => void;
  readonly signal?: AbortSignal;
};

/** A reader then finds at most the turns of so much time left to count. */
const EVERY_MS = 2_000;

/** Counts new turns in the background until it is closed. A failure is left to the next reader, who runs into it, too. */
export function keepAdherence(world: FollowWorld): { close(): Promise<void> } {
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= followAdherence({ ...world, signal: closing.signal })
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
  }, EVERY_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      closing.abort();
      await running;
    },
  };
}

/** Events in one step: few enough not to delay anything else in this thread. */
const STEP = 250;
const TYPES = ["session", "message", "prompt", "call", "result", "stop", "notice"] as const;

/** Counts the turns of all events that were not counted yet. Several processes may do so at once. */
export async function followAdherence(world: FollowWorld): Promise<void> {
  const { events, adherence, contracts, progress, signal } = world;
  const upTo = await events.head();
  let position = await adherence.position();
  if (position >= upTo) return;
  const counter = new TurnCounter((await contracts.events({ limit: Number.POSITIVE_INFINITY })).toReversed());
  const start = position;
  const open: OpenTurns = new Map();
  while (position < upTo && signal?.aborted !== true) {
    const page = await events.follow({ after: position, limit: STEP, types: TYPES });
    const last = page.at(-1)?.position ?? position;
    const to = page.length < STEP ? Math.max(upTo, last) : last;
    const { turns, removed, added } = await countPage(world, counter, page, position, open);
    const rows = await changedRows(adherence, removed, added);
    const isAlone = await adherence.advance({ from: position, to, rows, turns });
    // Another process has counted these events; go on after them.
    position = isAlone ? to : await adherence.position();
    if (!isAlone) open.clear();
    progress?.({ done: position - start, of: Math.max(upTo, position) - start });
  }
}

async function changedRows(adherence: AdherenceStore, removed: readonly CountedTurn[], added: readonly CountedTurn[]) {
  const days = [...removed, ...added].map(({ day }) => day).sort();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const table = new AdherenceTable(await adherence.rows(first, last));
  for (const turn of removed) table.remove(turn);
  for (const turn of added) table.add(turn);
  const touched = new Set(days);
  return table.rows().filter(({ day }) => touched.has(day));
}

/** The unfinished turns that this run has read up to its position, by session, so that they are not read again. */
type OpenTurns = Map<string, TurnSeen>;
const MOST_OPEN = 1_000;

type Counts = { readonly turns: LastTurn[]; readonly removed: CountedTurn[]; readonly added: CountedTurn[] };

async function countPage(
  world: FollowWorld,
  counter: TurnCounter,
  page: readonly KeptEvent[],
  after: number,
  open: OpenTurns,
): Promise<Counts> {
  const counts: Counts = { turns: [], removed: [], added: [] };
  const sessions = Map.groupBy(page, ({ event }) => event.session);
  const known = await world.adherence.lastTurns([...sessions.keys()]);
  for (const [session, some] of sessions) {
    const before = known.get(session);
    const isTouched = before !== undefined && !before.final && some.some(({ event }) => event.type !== "session");
    // A turn whose events were deleted meanwhile stays counted as it was.
    const again = isTouched ? (open.get(session) ?? (await readAgain(world, before, after))) : undefined;
    if (again !== undefined) counts.removed.push(...(before?.counted ?? []));
    const found = await turnsIn(world, some, before, again);
    for (const [at, { turn, first, final }] of found.entries()) {
      const counted = counter.count(turn);
      counts.added.push(...counted);
      if (at < found.length - 1) continue;
      counts.turns.push({ session, turn: turn.turn, first, final, view: turn.view, counted });
      if (final || open.size >= MOST_OPEN) open.delete(session);
      else open.set(session, turn);
    }
  }
  return counts;
}

type Turn = { readonly turn: TurnSeen; readonly first: number; final: boolean };

/** The turns of one session in a page, beginning with the one that is still open from before. */
async function turnsIn(
  { events }: FollowWorld,
  some: readonly KeptEvent[],
  before: LastTurn | undefined,
  again: TurnSeen | undefined,
): Promise<readonly Turn[]> {
  const turns: Turn[] =
    again === undefined || before === undefined ? [] : [{ turn: again, first: before.first, final: false }];
  let known: Partial<ContractView> | undefined = before?.view;
  for (const { event, position } of some) {
    if (event.type === "session") {
      if (event.change === "opened" || event.change === "resumed")
        known = { channel: event.channel ?? known?.channel, user: event.user ?? known?.user };
      continue;
    }
    const current = turns.at(-1);
    if (current !== undefined && !current.final) {
      takeEvent(current.turn, event);
      current.final = event.turn > current.turn.turn;
    }
    if (event.type !== "prompt" || event.turn === (current?.turn.turn ?? before?.turn)) continue;
    known ??= (await events.session(event.session)) ?? {};
    const view = { agent: event.agent, channel: known.channel ?? "cli", user: known.user };
    if (current !== undefined) current.final = true;
    turns.push({ turn: beginTurn(event, view), first: position, final: false });
  }
  return turns;
}

/** The turn with its events up to a position. */
async function readAgain({ events }: FollowWorld, last: LastTurn, upTo: number): Promise<TurnSeen | undefined> {
  let seen: TurnSeen | undefined;
  for (let after = last.first - 1; after < upTo; ) {
    const page = await events.follow({ session: last.session, types: TYPES, after, limit: STEP });
    for (const { event, position } of page) {
      if (position > upTo) return seen;
      if (seen !== undefined) takeEvent(seen, event);
      else if (event.type === "prompt") seen = beginTurn(event, last.view);
    }
    if (page.length < STEP) return seen;
    after = page.at(-1)?.position ?? upTo;
  }
  return seen;
}
