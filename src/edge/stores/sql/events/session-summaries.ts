import { sql } from "kysely";
import type {
  AgentSeen,
  SessionPage,
  SessionQuery,
  SessionSummary,
} from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { summarise } from "../../../../engine/journal/session-figures.ts";
import { checkedLimit } from "../../ranges.ts";
import type { WordIndex } from "../search/word-index.ts";
import { StoreError } from "../store-error.ts";
import type { SqlDatabase } from "../tables.ts";
import { chunks, nameKey, readJson } from "../values.ts";
import { addSent, changeUses } from "./contract-uses.ts";
import { addToHours, dropHours } from "./figures.ts";

const PAGE = 1_000;

/**
 * Adds events to the summaries, figures and contracts of their sessions, in the same transaction. `upTo` is the position
 * of the last one.
 */
export async function addToSessions(trx: SqlDatabase, events: readonly ConductEvent[], upTo: number): Promise<void> {
  const groups = Map.groupBy(events, ({ session }) => nameKey(session));
  const known = await knownSessions(trx, [...groups.keys()]);
  const counted: ConductEvent[] = [];
  const rows: SessionRow[] = [];
  const uses: { before: string | null; after: string | null }[] = [];
  const damaged: string[] = [];
  for (const [session, some] of groups) {
    const { summary: text, contracts: before = null } = known.get(session) ?? {};
    let summary = text === undefined ? undefined : readJson<SessionSummary>(text);
    if (text !== undefined && summary === undefined) {
      damaged.push(session);
      continue;
    }
    for (const event of some) summary = summarise(summary, event);
    const after = addSent(before, some);
    if (summary !== undefined) rows.push(rowOf(summary, after));
    uses.push({ before, after });
    counted.push(...some);
  }
  await write(trx, rows);
  await changeUses(trx, uses);
  await addToHours(trx, counted);
  // A damaged summary is recomputed and must not block new events.
  for (const session of damaged) await foldAgain(trx, session, upTo);
}

async function knownSessions(trx: SqlDatabase, sessions: readonly string[]) {
  const known = new Map<string, { readonly summary: string; readonly contracts: string | null }>();
  for (const some of chunks(sessions)) {
    const rows = await trx
      .selectFrom("conduct_sessions")
      .select(["session", "summary", "contracts"])
      .where("session", "in", some)
      .execute();
    for (const row of rows) known.set(row.session, row);
  }
  return known;
}

/** Recomputes the summary and figures of a session (given its key) from its events up to a position. */
export async function foldAgain(trx: SqlDatabase, session: string, upTo: number): Promise<void> {
  let summary: SessionSummary | undefined;
  const before = (await knownSessions(trx, [session])).get(session)?.contracts ?? null;
  let after: string | null = null;
  await dropHours(trx, session);
  for (let from = 0; ; ) {
    const rows = await trx
      .selectFrom("conduct_events")
      .select(["position", "event"])
      .where("session", "=", session)
      .where("position", ">", from)
      .where("position", "<=", upTo)
      .orderBy("position")
      .limit(PAGE)
      .execute();
    const events = rows.flatMap(({ event }) => readJson<ConductEvent>(event) ?? []);
    for (const event of events) summary = summarise(summary, event);
    after = addSent(after, events);
    await addToHours(trx, events);
    from = rows.at(-1)?.position ?? from;
    if (rows.length < PAGE) break;
  }
  await trx.deleteFrom("conduct_sessions").where("session", "=", session).execute();
  if (summary !== undefined) await write(trx, [rowOf(summary, after)]);
  await changeUses(trx, [{ before, after }]);
}

export async function sessionOf(db: SqlDatabase, id: string): Promise<SessionSummary | undefined> {
  const asked = db.selectFrom("conduct_sessions").select("summary").where("session", "=", nameKey(id));
  const row = await asked.executeTakeFirst();
  return row === undefined ? undefined : read(row.summary);
}

export async function readSessions(db: SqlDatabase, index: WordIndex, query: SessionQuery): Promise<SessionPage> {
  const { parent, agent, channel, user, topic, complexity, denied, incomplete, text, since, until } = query;
  const { limit, offset = 0 } = query;
  const asked = db
    .selectFrom("conduct_sessions")
    // `parent` has no column; callers narrow the search by `since`. JSON escapes quotes in texts.
    .$if(parent !== undefined, (some) =>
      some.where(sql<boolean>`replace(summary, ${`"parent":${JSON.stringify(parent)},`}, '') <> summary`),
    )
    .$if(agent !== undefined, (some) => some.where("agent", "=", nameKey(agent ?? "")))
    .$if(channel !== undefined, (some) => some.where("channel", "=", nameKey(channel ?? "")))
    .$if(user !== undefined, (some) => some.where("user_name", "=", nameKey(user ?? "")))
    .$if(topic !== undefined, (some) => some.where("topic", "=", topic ?? ""))
    .$if(complexity !== undefined, (some) => some.where("complexity", "=", complexity ?? ""))
    .$if(denied !== undefined, (some) => some.where("denials", ">", 0))
    .$if(incomplete !== undefined, (some) => some.where("incomplete", ">", 0))
    .$if(since !== undefined, (some) => some.where("last_at", ">=", since ?? 0))
    .$if(until !== undefined, (some) => some.where(hasEventBetween(since ?? 0, until ?? 0, denied)));
  const pageOf = async (some: typeof asked): Promise<SessionPage> => {
    const page = some.orderBy("last_at", "desc").orderBy("session").limit(checkedLimit(limit)).offset(offset);
    if (text !== undefined) {
      // Counts in the same query, because a second word search would take as long again.
      const found = await page.select(["summary", sql<number>`count(*) over ()`.as("total")]).execute();
      const [first] = found;
      if (first !== undefined || offset === 0)
        return { sessions: found.map(({ summary }) => read(summary)), total: Number(first?.total ?? 0) };
    }
    const rows = await page.select("summary").execute();
    const { total } = await some.select((select) => select.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
    return { sessions: rows.map(({ summary }) => read(summary)), total };
  };
  if (text === undefined) return pageOf(asked);
  const newest = await index.newest(db, text, MOST_MATCHES + 1);
  if (newest !== undefined) {
    const isAll = newest.length <= MOST_MATCHES;
    const found = await pageOf(asked.where(hasEventAt(newest.slice(0, MOST_MATCHES))));
    // A filter may have left too few of them.
    if (isAll || found.sessions.length === limit) return isAll ? found : { ...found, atLeast: true };
  }
  return pageOf(
    asked.where("session", "in", (builder) =>
      builder.selectFrom("conduct_events").select("conduct_events.session").where(index.matches(text)),
    ),
  );
}

/** Finding the sessions of more events than this takes longer than a page may. */
const MOST_MATCHES = 5_000;

const hasEventAt = (positions: readonly number[]) =>
  sql<boolean>`session in (select conduct_events.session from conduct_events
    where position in (select value from json_each(${JSON.stringify(positions)})))`;

/**
 * The last event of most sessions decides. Only for sessions that began before `until` and went on after it, the events
 * between are read.
 */
function hasEventBetween(since: number, until: number, denied: true | undefined) {
  const between = sql`select 1 from conduct_events where conduct_events.session = conduct_sessions.session
    and at >= ${since} and at <= ${until}`;
  return denied === undefined
    ? sql<boolean>`last_at >= ${since} and (last_at <= ${until} or (first_at <= ${until} and exists (${between})))`
    : sql<boolean>`last_at >= ${since} and first_at <= ${until} and exists (${between} and denied = 1)`;
}

/** Both queries use the index of agents and times. */
export async function sessionAgents(db: SqlDatabase): Promise<readonly AgentSeen[]> {
  const rows = await db
    .selectFrom("conduct_sessions")
    .select((select) => ["agent", select.fn.countAll<number>().as("sessions"), select.fn.max("last_at").as("last_at")])
    .groupBy("agent")
    .orderBy("last_at", "desc")
    .orderBy("agent")
    .execute();
  const seen: AgentSeen[] = [];
  for (const { agent, sessions, last_at: lastAt } of rows) {
    // The row has a key; any summary contains the full name.
    const newest = db.selectFrom("conduct_sessions").select("summary").where("agent", "=", agent);
    const { summary } = await newest.orderBy("last_at", "desc").limit(1).executeTakeFirstOrThrow();
    seen.push({ agent: read(summary).agent, sessions, lastAt });
  }
  return seen;
}

type SessionRow = ReturnType<typeof rowOf>;

function rowOf(summary: SessionSummary, contracts: string | null) {
  const { session, agent, channel, user, startedAt, lastAt, denials, incomplete } = summary;
  const { topic = null, complexity = null } = summary;
  return {
    session: nameKey(session),
    agent: nameKey(agent),
    channel: channel === undefined ? null : nameKey(channel),
    user_name: user === undefined ? null : nameKey(user),
    first_at: startedAt,
    last_at: lastAt,
    topic,
    complexity,
    denials,
    incomplete,
    contracts,
    summary: JSON.stringify(summary),
  };
}

const CHANGED = [
  ...(["agent", "channel", "user_name", "first_at", "last_at", "topic", "complexity"] as const),
  ...(["denials", "incomplete", "contracts", "summary"] as const),
];

async function write(trx: SqlDatabase, rows: readonly SessionRow[]): Promise<void> {
  for (const some of chunks(rows)) {
    await trx
      .insertInto("conduct_sessions")
      .values(some)
      .onConflict((conflict) =>
        conflict
          .column("session")
          .doUpdateSet(({ ref }) => Object.fromEntries(CHANGED.map((name) => [name, ref(`excluded.${name}`)]))),
      )
      .execute();
  }
}

function read(summary: string): SessionSummary {
  const found = readJson<SessionSummary>(summary);
  if (found !== undefined) return found;
  throw new StoreError("STORE_DAMAGED", "A session's figures cannot be read", "Run: conduct journal rebuild");
}
