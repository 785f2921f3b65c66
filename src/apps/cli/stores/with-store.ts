import { statSync } from "node:fs";
import { homedir } from "node:os";
import { nearest } from "../../../base/kernel/nearest.ts";
import type { EventJournal, SessionSummary } from "../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { conductHome } from "../../../edge/host/workspace/conduct-home.ts";
import { storePlace } from "../../../edge/host/workspace/store-place.ts";
import type { StorePlace } from "../../../edge/stores/sql/open-database.ts";
import { openSqlStore } from "../../../edge/stores/sql/open-sql-store.ts";
import type { SqlStore } from "../../../edge/stores/sql/sql-store.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import { clip, oneLine, quoted } from "../../shared/printable.ts";
import { type Failure, failed, type NextAction, type Outcome } from "../line/outcome.ts";

const LOOKED_AT = 1_000;

/** `ada/web#t1za8k`: the agent, the channel, and the end of the session's id. Commands accept that end. */
export function sessionName(
  { agent, channel, session }: Pick<SessionSummary, "agent" | "channel" | "session">,
  short: (id: string) => string = shortIds(),
): string {
  return oneLine(`${agent}${channel === undefined ? "" : `/${channel}`}#${short(session)}`);
}

const SHORT = 6;
const WHOLE = 8;
const NAME = 16;

/**
 * Shortens ids so that all ids given to the same shortener differ. The end is used, because ids of one runtime often
 * begin alike, with a word or with the time.
 */
export function shortIds(): (id: string) => string {
  const owners = new Map<string, string>();
  return (id) => {
    const plain = withoutPrefix(id);
    for (let length = SHORT; length <= id.length; length++) {
      const short = plain.length <= WHOLE ? plain : plain.slice(-length).replace(/^[^\p{L}\p{N}]+/u, "");
      if ((owners.get(short) ?? id) !== id) continue;
      owners.set(short, id);
      return short;
    }
    return id;
  };
}

/** Session names of events, each looked up once. */
export function sessionNames(journal: EventJournal): (event: ConductEvent) => Promise<string> {
  const channels = new Map<string, string | undefined>();
  const short = shortIds();
  return async ({ session, agent }) => {
    if (channels.get(session) === undefined) channels.set(session, (await journal.session(session))?.channel);
    const channel = channels.get(session);
    // The id stays whole in a narrow column; the agent's name gives way.
    return sessionName({ session, agent: clip(agent, NAME - (channel?.length ?? 0)), channel }, short);
  };
}

/** The session with that id, or the only recent one that ends or begins so; else the nearest matches. */
export async function findSession(
  journal: EventJournal,
  given: string,
): Promise<{ readonly session: string } | { readonly near: readonly string[] }> {
  const word = given.replace(/^.*#/, "");
  for (const id of [given, word]) if ((await journal.session(id)) !== undefined) return { session: id };
  const { sessions } = await journal.sessions({ limit: LOOKED_AT });
  const ids = sessions.map(({ session }) => session);
  const ended = ids.filter((id) => id.endsWith(word));
  const begun = ids.filter((id) => id.startsWith(word) || withoutPrefix(id).startsWith(word));
  for (const [only, ...more] of word === "" ? [] : [ended, begun]) {
    if (only !== undefined && more.length === 0) return { session: only };
  }
  const some = [...new Set([...ended, ...begun])];
  return { near: some.length > 0 ? some.slice(0, 3) : nearestOf(word, ids) };
}

/** Reports an unknown session; `again` is the command for one of the nearest matches. */
export function sessionNotFound(given: string, near: readonly string[], again: (id: string) => string): Failure {
  const [first] = near;
  const hint = first === undefined ? "" : `; did you mean ${near.join(", ")}?`;
  const command = first === undefined ? "conduct status" : again(first);
  const next = [{ command, description: first === undefined ? "List the sessions" : "Use this session" }];
  const message = `no session '${clip(oneLine(given), 60)}' is stored${hint}`;
  return failed("SESSION_NOT_FOUND", message, command, { result: { near }, next });
}

/** Up to three candidates close to the text. */
export function nearestOf(written: string, candidates: Iterable<string>): readonly string[] {
  const left = new Set(candidates);
  const found: string[] = [];
  while (found.length < 3) {
    const next = nearest(written, left);
    if (next === undefined) break;
    left.delete(next);
    found.push(next);
  }
  return found;
}

function withoutPrefix(id: string): string {
  return id.replace(/^s_(?=.)/, "");
}

const DAY = 86_400_000;

/** `14:02:11`, in the given zone or the machine's. */
export function timeIn(zone: string | undefined): (at: number) => string {
  return zone === undefined ? localTime : lazyFormat({ timeStyle: "medium", timeZone: zone });
}

/** `14:02:11` today, `12 Nov 14:02` before that. */
export function momentIn(zone: string | undefined, now: number): (at: number) => string {
  if (zone === undefined) return (at) => (localDay(at) === localDay(now) ? localTime(at) : localMoment(at));
  const [time, day] = [timeIn(zone), lazyFormat({ dateStyle: "short", timeZone: zone })];
  const date = lazyFormat({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone: zone });
  return (at) => (day(at) === day(now) ? time(at) : date(at).replace(",", ""));
}

/** The first format loads the locale tables, which takes half as long as starting Node: only for another zone. */
function lazyFormat(options: Intl.DateTimeFormatOptions): (at: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => {
    format ??= new Intl.DateTimeFormat("en-GB", options);
    return format.format(at);
  };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"] as const;
const localTime = (at: number) => new Date(at).toTimeString().slice(0, "14:02:11".length);
const localDay = (at: number) => new Date(at).toDateString();
const localMoment = (at: number) =>
  `${new Date(at).getDate()} ${MONTHS[new Date(at).getMonth()]} ${localTime(at).slice(0, "14:02".length)}`;

export function dayBefore(now: number): number {
  return now - DAY;
}

/** Dependencies of the commands that read the journal; replaced in tests. */
export type JournalWorld = {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly now: () => number;
  /** Defaults to the machine's zone. */
  readonly zone?: string;
};

export function processWorld(): JournalWorld {
  return { env: process.env, home: conductHome(), now: Date.now };
}

/** Nothing was recorded yet; the demo records in a folder of its own. */
export const TRY_INIT: NextAction = {
  command: "conduct init",
  description: "Set up your runtimes; their sessions appear here",
};

/** Opens the store for one command. Reading never creates a store: without a file, `absent` answers. */
export async function withStore(
  world: JournalWorld,
  use: (store: SqlStore, where: string) => Promise<Outcome>,
  absent: (where: string) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  try {
    const place = storePlace(world.env, world.home);
    if (!isThere(place)) return await absent(shownPlace(place));
    const store = await openSqlStore(place);
    try {
      return await use(store, shownPlace(place));
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreError) return storeFailure(error);
    throw error;
  }
}

/** Is there a store, as far as known without connecting? */
export function isThere(place: StorePlace): boolean {
  return place.kind === "postgres" || statSync(place.file, { throwIfNoEntry: false }) !== undefined;
}

/** The store's place without its password. */
function shownPlace(place: StorePlace): string {
  if (place.kind === "sqlite") {
    const home = homedir();
    return place.file.startsWith(`${home}/`) ? `~${place.file.slice(home.length)}` : place.file;
  }
  if (!URL.canParse(place.url)) return "PostgreSQL";
  const { host, pathname } = new URL(place.url);
  return `${host || "localhost"}${pathname}`;
}

function storeFailure({ code, message, fix }: StoreError): Outcome {
  const what = message.endsWith(`. ${fix}`) ? message.slice(0, -fix.length - 2) : message;
  return failed(code, what, fix);
}

/** Joins words into a command line, quoted for a shell. */
export function commandOf(...words: readonly string[]): string {
  return ["conduct", ...words.map(quoted)].join(" ");
}
