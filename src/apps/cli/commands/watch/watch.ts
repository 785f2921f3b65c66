import { setTimeout as sleep } from "node:timers/promises";
import type { EventFilter, KeptEvent } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent, Moment } from "../../../../base/words/event.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { StoreError } from "../../../../edge/stores/sql/store-error.ts";
import { eventWords, MOMENTS } from "../../../shared/event-words.ts";
import { clip, hang, oneLine, wrap } from "../../../shared/printable.ts";
import type { WatchArgs } from "../../declared/observe-commands.ts";
import { done, type Outcome } from "../../line/outcome.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import {
  commandOf,
  findSession,
  isThere,
  type JournalWorld,
  nearestOf,
  processWorld,
  sessionNames,
  sessionNotFound,
  TRY_INIT,
  timeIn,
  withStore,
} from "../../stores/with-store.ts";

export type WatchLayout = { readonly columns: number; readonly paint: Paint; readonly timeOf: (at: number) => string };

const KIND = 11;
const WIDEST_NAME = 26;
/** Outcomes align in one column if the subject is no longer than this. */
const COLUMN = 28;
const WIDEST = 44;
/** The subject is never cut below this width. */
const LEAST = 12;
/** A narrower terminal shows the whole subject first, and everything else below it. */
const NARROW = { columns: 100, name: 22, indent: 13 };

/** Renders events of many sessions as lines. Events for programs only are left out. */
export function watchLines({
  columns,
  paint,
  timeOf,
}: WatchLayout): (event: ConductEvent, name: string) => readonly string[] {
  // Grows with the names seen, so that the text after them stays aligned.
  let width = 12;
  const isNarrow = columns < NARROW.columns;
  return (event, name) => {
    const shown = eventWords(event);
    if (shown === undefined) return [];
    width = Math.min(isNarrow ? NARROW.name : WIDEST_NAME, Math.max(width, name.length));
    const margin = 1 + 8 + 2 + width + 2 + KIND;
    const room = Math.max(30, columns - margin);
    // The end of a name is the session's id.
    const named = name.length <= width ? name.padEnd(width) : `…${name.slice(1 - width)}`;
    const start = ` ${paint("dim", timeOf(event.at))}  ${named}  ${paintKind(shown.kind, paint)}`;
    // Foreign text must not control the terminal.
    const what = oneLine(shown.what);
    const by = shown.by === undefined ? undefined : oneLine(shown.by);
    const { came, more = "" } = shown;
    const indent = isNarrow ? NARROW.indent : margin;
    const below = (text: string, style: "dim" | "bold") =>
      wrap(text, columns - indent).map((line) => `${" ".repeat(indent)}${paint(style, line)}`);
    const also = below(more, "dim");
    if (came === undefined) return [`${start}${clip(what, room)}`.trimEnd(), ...also];
    const mark = oneLine(`${came.mark} ${came.text}`);
    const beside = by === undefined ? 0 : 3 + by.length;
    if (isNarrow && what.length + 2 + mark.length > room && indent + mark.length + beside <= columns) {
      const result = `${" ".repeat(indent)}${paint(came.style, mark)}${by === undefined ? "" : `   ${paint("bold", by)}`}`;
      return [`${start}${clip(what, room)}`, result, ...also];
    }
    const least = what === "" ? 0 : Math.max(LEAST, Math.min(COLUMN, what.length));
    const inLine = least + 2 + mark.length + beside <= room;
    const most = Math.max(LEAST, room - 2 - mark.length - (inLine ? beside : 0));
    const left = what === "" ? 0 : Math.min(most, Math.max(COLUMN, Math.min(what.length, WIDEST)));
    const result = paint(came.style, clip(mark, Math.max(12, room - left - 2)));
    const head = what === "" ? `${start}${result}` : `${start}${clip(what, left).padEnd(left)}  ${result}`;
    if (by === undefined) return [head, ...also];
    if (inLine) return [`${head}   ${paint("bold", by)}`, ...also];
    return [head, ...below(by, "bold"), ...also];
  };
}

function paintKind(kind: string, paint: Paint): string {
  const moment = kind in MOMENTS ? MOMENTS[kind as Moment] : undefined;
  if (moment === undefined) return paint("dim", `  ${kind}`.padEnd(KIND));
  return paint(moment.style, `${moment.glyph} ${kind}`.padEnd(KIND));
}

const POLL_MS = 200;
const PAGE = 500;
/** The number of past events shown first. */
const BEFORE = { once: 50, live: 10 };
/** More events are read, because not every event has a line. */
const LOOKED_AT = 500;

/** `pause` never rejects; `ended` is set when the person stops watching. */
export type WatchWorld = JournalWorld & {
  readonly pause: (ms: number) => Promise<void>;
  readonly ended: () => boolean;
};

/** `conduct watch [--session S] [--agent A] [--denied] [--search TEXT] [--once]` */
export async function watch(args: WatchArgs, terminal: Terminal): Promise<Outcome> {
  const end = new AbortController();
  const stop = () => end.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    const pause = (ms: number) => sleep(ms, undefined, { signal: end.signal }).catch(() => undefined);
    return await runWatch(args, terminal, { ...processWorld(), pause, ended: () => end.signal.aborted });
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

/** Shows the latest events and, without `--once`, new ones from any process. */
export async function runWatch(args: WatchArgs, terminal: Terminal, world: WatchWorld): Promise<Outcome> {
  const once = args.once === true;
  return withStore(
    world,
    (store) => watchStore(store, args, terminal, world),
    async (where) => {
      if (once) return nothingYet(where, terminal);
      tell(terminal, `${where} has no events yet; waiting for the first one (Ctrl-C to stop)`);
      while (!world.ended() && !isThere(storePlace(world.env, world.home))) await world.pause(POLL_MS);
      if (world.ended()) return done({ shown: 0 }, "", [TRY_INIT]);
      return runWatch(args, terminal, world);
    },
  );
}

async function watchStore(store: SqlStore, args: WatchArgs, terminal: Terminal, world: WatchWorld): Promise<Outcome> {
  const { events: journal } = store;
  const asked = await filterOf(store, args);
  if ("ok" in asked) return asked;
  const once = args.once === true;
  const show = shower(store, terminal, world);
  const head = await journal.head();
  const most = once ? BEFORE.once : BEFORE.live;
  const { events: newest } = await journal.read({ ...asked, limit: LOOKED_AT });
  const past = newest.slice(0, terminal.json ? most : LOOKED_AT).toReversed();
  const lines = terminal.json ? [] : (await show(past)).slice(-most).flat();
  if (once) {
    const empty = lines.length === 0 && !terminal.json;
    const text = empty ? `\n  ${await emptyText(store, args)}\n\n` : `\n${lines.join("\n")}\n\n`;
    return done({ events: past.slice(-most), position: head }, text, nextOf(past));
  }
  const say = async (events: readonly KeptEvent[]) => {
    if (terminal.json) for (const one of events) terminal.out(`${JSON.stringify(one)}\n`);
    else for (const line of (await show(events)).flat()) terminal.out(`${line}\n`);
  };
  if (past.length === 0) tell(terminal, `${await emptyText(store, args)}; waiting (Ctrl-C to stop)`);
  if (terminal.json) await say(past);
  else for (const line of lines) terminal.out(`${line}\n`);
  return follow(store, asked, Math.max(head, past.at(-1)?.position ?? 0), { say, terminal, world });
}

async function follow(
  { events: journal }: SqlStore,
  filter: EventFilter,
  from: number,
  {
    say,
    terminal,
    world,
  }: {
    readonly say: (events: readonly KeptEvent[]) => Promise<void>;
    readonly terminal: Terminal;
    readonly world: WatchWorld;
  },
): Promise<Outcome> {
  let [after, shown, away] = [from, 0, false];
  while (!world.ended()) {
    try {
      // Read first, so that older events outside the request are not read again.
      const head = await journal.head();
      const events = await journal.follow({ ...filter, after, limit: PAGE });
      if (away) tell(terminal, "the store is back");
      away = false;
      await say(events);
      const last = events.at(-1)?.position ?? after;
      after = events.length === PAGE ? last : Math.max(head, last);
      shown += events.length;
      if (events.length === PAGE) continue;
    } catch (error) {
      if (!(error instanceof StoreError) || !/^STORE_(UNAVAILABLE|BUSY)$/.test(error.code)) throw error;
      if (!away) tell(terminal, `! ${error.message} Waiting.`);
      away = true;
    }
    await world.pause(POLL_MS);
  }
  return done({ shown, position: after }, "");
}

function shower({ events: journal }: SqlStore, { columns, paint }: Terminal, { zone }: WatchWorld) {
  const nameOf = sessionNames(journal);
  const linesOf = watchLines({ columns, paint, timeOf: timeIn(zone) });
  return async (events: readonly KeptEvent[]): Promise<readonly (readonly string[])[]> => {
    const shown: (readonly string[])[] = [];
    for (const { event } of events) shown.push(linesOf(event, await nameOf(event)));
    return shown.filter((lines) => lines.length > 0);
  };
}

async function filterOf({ events: journal }: SqlStore, args: WatchArgs): Promise<EventFilter | Outcome> {
  const { session, agent, search: text } = args;
  const rest: EventFilter = { agent, denied: args.denied ? true : undefined, text };
  if (session === undefined) return rest;
  const found = await findSession(journal, session);
  if ("session" in found) return { ...rest, session: found.session };
  return sessionNotFound(session, found.near, (id) => commandOf("watch", "--session", id));
}

async function emptyText({ events: journal }: SqlStore, args: WatchArgs): Promise<string> {
  const seen = (await journal.agents()).map(({ agent }) => agent);
  const { agent } = args;
  if (agent !== undefined && !seen.includes(agent)) {
    const near = nearestOf(agent, seen)[0];
    const hint = near !== undefined ? `; did you mean ${near}?` : seen.length > 0 ? `; seen: ${seen.join(", ")}` : "";
    return `no events of an agent '${oneLine(agent)}'${oneLine(hint)}`;
  }
  if (args.search !== undefined && seen.length > 0) return `no event matches '${oneLine(args.search)}'`;
  if (args.denied && seen.length > 0) return "no call was denied yet";
  return "no events yet: run an agent under Conduct to see them here";
}

function nothingYet(where: string, { paint, invocation, columns }: Terminal): Outcome {
  const lines = hang("  ", `${where} has no events yet: run an agent under Conduct to see them here`, columns);
  const text = `\n${lines.join("\n")}\n  ${paint("dim", "try")}  ${invocation} demo\n\n`;
  return done({ events: [], position: 0 }, text, [TRY_INIT]);
}

function nextOf(events: readonly KeptEvent[]): Outcome["next"] {
  const denied = events.findLast(({ event }) => event.type === "call" && event.decision.kind === "deny")?.event;
  if (events.length === 0) return [TRY_INIT];
  if (denied?.type !== "call") return [{ command: "conduct watch", description: "Watch live" }];
  return [
    { command: commandOf("why", denied.decision.id), description: "Explain the newest denial" },
    { command: "conduct watch", description: "Watch live" },
  ];
}

/** Written to stderr, never among the lines that a program reads. */
function tell({ error, paint }: Terminal, text: string): void {
  error(`  ${paint("dim", oneLine(text))}\n`);
}
