import { type ExpressionBuilder, sql } from "kysely";
import type { EventFilter, EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { eventJson } from "../../../../engine/journal/event-json.ts";
import { contractHashOf, decisionIds, isDenied } from "../../../../engine/journal/session-figures.ts";
import { checkedLimit, checkedPosition } from "../../ranges.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import { eventWords } from "../../search-words.ts";
import type { Prepare, SqliteWriter } from "../dialects/sqlite-writer.ts";
import { type WordIndex, wordIndex } from "../search/word-index.ts";
import type { SqlDatabase, SqlKind, Tables } from "../tables.ts";
import { lightly } from "../transactions.ts";
import { chunks, nameKey, readJson } from "../values.ts";
import { readUse } from "./contract-uses.ts";
import { readFigures } from "./figures.ts";
import type { EventFollower } from "./follow-events.ts";
import { EVENT_COLUMNS, keptEvent } from "./kept-event.ts";
import { dropSections, keepSections, readSections } from "./sections.ts";
import { foldAgain, readSessions, sessionAgents, sessionOf } from "./session-summaries.ts";

/** Stores events in a database, with a summary of every session. */
export function sqlEvents(
  db: SqlDatabase,
  kind: SqlKind,
  keys: Pick<StoreKeys, "seal">,
  follower: EventFollower,
  direct?: SqliteWriter,
): EventJournal {
  const index = wordIndex(kind, "events");

  /** Serialises writers, so that positions become visible in order and no reader skips one. */
  async function alone<T>(write: (trx: SqlDatabase) => Promise<T>): Promise<T> {
    return lightly(db, async (trx) => {
      if (kind === "postgres") await sql`select pg_advisory_xact_lock(hashtext(current_schema()), 1868)`.execute(trx);
      return write(trx);
    });
  }

  async function followed<T>(read: () => Promise<T>): Promise<T> {
    await follower.catchUp();
    return read();
  }

  /** Words and channels are found by the projections. */
  async function matching(filter: EventFilter) {
    const { text, channel } = filter;
    if (text !== undefined || channel !== undefined) await follower.catchUp();
    const oftenUsed = channel !== undefined && (await isOftenUsed(db, channel));
    return {
      rows: db.selectFrom("conduct_events").where((builder) => conditionOf(builder, filter, index, kind, oftenUsed)),
    };
  }

  function appendRows(events: readonly ConductEvent[]): Promise<readonly number[]> {
    // PostgreSQL has the words in the row; SQLite's follower indexes them.
    const rows = events.map((event) => ({
      ...rowOf(event),
      ...(kind === "postgres" ? index.columns(eventWords(event)) : {}),
    }));
    return alone(async (trx) => {
      const positions: number[] = [];
      for (const some of chunks(rows)) {
        const done = await trx
          .insertInto("conduct_events")
          .values(some)
          .onConflict((conflict) => conflict.column("id").doNothing())
          .returning("position")
          .execute();
        positions.push(...done.map(({ position }) => position));
      }
      return positions;
    });
  }

  return {
    async append(events) {
      if (events.length === 0) return 0;
      const added = await (direct === undefined ? appendRows(events) : direct(inserting(events.map(rowOf))));
      const newest = added.at(-1);
      if (newest !== undefined) await follower.appended(newest);
      return added.length;
    },
    async read({ before, limit, ...filter }) {
      const most = checkedLimit(limit);
      const rows = await (await matching(filter)).rows
        .select(EVENT_COLUMNS)
        .$if(before !== undefined, (some) => some.where("position", "<=", checkedPosition(before ?? 0)))
        .orderBy("position", "desc")
        .limit(most + 1)
        .execute();
      const next = rows[most]?.position;
      return { events: rows.slice(0, most).map(keptEvent), next };
    },
    async follow({ after, limit, ...filter }) {
      const rows = await (await matching(filter)).rows
        .select(EVENT_COLUMNS)
        .where("position", ">", checkedPosition(after))
        .orderBy("position")
        .limit(checkedLimit(limit))
        .execute();
      return rows.map(keptEvent);
    },
    async find(id) {
      const row = await db
        .selectFrom("conduct_events")
        .select(EVENT_COLUMNS)
        .where("id", "=", nameKey(id))
        .executeTakeFirst();
      return row === undefined ? undefined : keptEvent(row);
    },
    async findDecision(id) {
      const rows = await db
        .selectFrom("conduct_events")
        .select(EVENT_COLUMNS)
        .where((builder) => builder.or([builder("decision", "=", nameKey(id)), builder("approval", "=", nameKey(id))]))
        .orderBy("position")
        .execute();
      return rows.map(keptEvent);
    },
    async histories(asked) {
      const of = new Map<string, ConductEvent[]>(asked.map((session) => [nameKey(session), []]));
      for (const some of chunks([...of.keys()])) {
        // The index on session and position has them in this order.
        const rows = await db
          .selectFrom("conduct_events")
          .select(["position", "session", "event"])
          .where("session", "in", some)
          .orderBy("session")
          .orderBy("position")
          .execute();
        for (const { position, session, event } of rows) {
          of.get(session)?.push(readJson<ConductEvent>(event) ?? (await damagedAt(db, position)));
        }
      }
      return asked.map((session) => of.get(nameKey(session)) ?? []);
    },
    async count(filter) {
      const { events } = await (await matching(filter)).rows
        .select((select) => select.fn.countAll<number>().as("events"))
        .executeTakeFirstOrThrow();
      return events;
    },
    async head() {
      const newest = db.selectFrom("conduct_events").select("position").orderBy("position", "desc").limit(1);
      return (await newest.executeTakeFirst())?.position ?? 0;
    },
    session: (id) => followed(() => sessionOf(db, id)),
    sessions: (query) => followed(() => readSessions(db, index, query)),
    agents: () => followed(() => sessionAgents(db)),
    figures: (query) => followed(() => readFigures(db, query)),
    async unanswered(since) {
      const rows = await db
        .selectFrom("conduct_events as asked")
        .select(EVENT_COLUMNS)
        .where("approval", ">", "")
        // The `+` makes the database use the small index of approvals instead of those of times and of all objections.
        .where(sql<boolean>`${sql.raw(kind === "sqlite" ? "+ type" : "type")} = 'call' and + at >= ${since}`)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("conduct_events as answer")
                .select("answer.id")
                .whereRef("answer.approval", "=", "asked.approval")
                .where("answer.type", "=", "approval"),
            ),
          ),
        )
        .orderBy(sql`+ position`)
        .execute();
      return rows.map(keptEvent);
    },
    keepSections: (told) => keepSections(db, kind, keys, told),
    readSections: (hashes) => readSections(db, keys, hashes),
    contractUse: (hash) => followed(() => readUse(db, hash)),
    deleteSession: (id) =>
      alone(async (trx) => {
        const session = nameKey(id);
        const upTo = await follower.lock(trx);
        await dropSections(trx, kind, { session: id });
        const gone = await trx.deleteFrom("conduct_events").where("session", "=", session).executeTakeFirst();
        await foldAgain(trx, session, upTo);
        await trx.deleteFrom("conduct_adherence_turns").where("session", "=", session).execute();
        return Number(gone.numDeletedRows);
      }),
    async expire(before) {
      await follower.catchUp();
      const touched = await db
        .selectFrom("conduct_events")
        .select("session")
        .distinct()
        .where("at", "<", before)
        .execute();
      let gone = 0;
      // One session at a time, so that writers wait for one session only.
      for (const { session } of touched) gone += await alone((trx) => expireSession(trx, follower, session, before));
      await alone((trx) => dropSections(trx, kind, { before }));
      if (kind === "sqlite" && gone > 0) await shrink(db);
      return gone;
    },
    async rebuild() {
      await alone((trx) => follower.forget(trx));
      await follower.catchUp();
      return (await readSessions(db, index, { limit: 1 })).total;
    },
  };
}

/** Pages in one step, 1 MB of a new file; writers wait for a step. */
const SHRINK_PAGES = 1_024;

/** Gives free pages back to the disk. Files of an older Conduct keep theirs and use them again. */
async function shrink(db: SqlDatabase): Promise<void> {
  const free = async () => (await sql<{ freelist_count: number }>`pragma freelist_count`.execute(db)).rows[0];
  for (
    let [left, before] = [(await free())?.freelist_count ?? 0, Number.POSITIVE_INFINITY];
    left > 0 && left < before;
  ) {
    await sql`pragma incremental_vacuum(${sql.lit(SHRINK_PAGES)})`.execute(db);
    [before, left] = [left, (await free())?.freelist_count ?? 0];
  }
}

async function expireSession(
  trx: SqlDatabase,
  follower: EventFollower,
  session: string,
  before: number,
): Promise<number> {
  const upTo = await follower.lock(trx);
  const known = await trx
    .selectFrom("conduct_sessions")
    .select("last_at")
    .where("session", "=", session)
    .executeTakeFirst();
  const goesOn = known !== undefined && known.last_at >= before;
  const gone = await trx
    .deleteFrom("conduct_events")
    .where("session", "=", session)
    .where("at", "<", before)
    .$if(goesOn, (some) => some.where("type", "<>", "session"))
    .executeTakeFirst();
  await foldAgain(trx, session, upTo);
  if (!goesOn) await trx.deleteFrom("conduct_adherence_turns").where("session", "=", session).execute();
  return Number(gone.numDeletedRows);
}

function conditionOf(
  builder: ExpressionBuilder<Tables, "conduct_events">,
  filter: EventFilter,
  index: WordIndex,
  kind: SqlKind,
  oftenUsed: boolean,
) {
  const { session, agent, channel, types, denied, objected, since, contract, text } = filter;
  const onChannel = (name: string) =>
    oftenUsed
      ? sql<boolean>`exists (select 1 from conduct_sessions
          where conduct_sessions.session = conduct_events.session and conduct_sessions.channel = ${nameKey(name)})`
      : sql<boolean>`session in (select conduct_sessions.session from conduct_sessions
          where conduct_sessions.channel = ${nameKey(name)})`;
  return builder.and([
    ...(session === undefined ? [] : [builder("session", "=", nameKey(session))]),
    ...(agent === undefined ? [] : [builder("agent", "=", nameKey(agent))]),
    ...(types === undefined ? [] : [isOneOf(types)]),
    ...(denied === undefined ? [] : [builder("denied", "=", sql.lit(1))]),
    ...(objected === undefined ? [] : [isObjectedCall(kind)]),
    // The `+` makes the database use the small index of objected calls instead of the large one of times.
    ...(since === undefined ? [] : [objected ? sql<boolean>`+ at >= ${since}` : builder("at", ">=", since)]),
    // A prefix search: `g` comes after every hex digit.
    ...(contract === undefined ? [] : [builder("contract", ">=", contract), builder("contract", "<", `${contract}g`)]),
    ...(text === undefined ? [] : [index.matches(text)]),
    ...(channel === undefined ? [] : [onChannel(channel)]),
  ]);
}

/** A single type is part of the statement, because only then the index of that type is used. */
function isOneOf(types: readonly ConductEvent["type"][]) {
  const [only, ...more] = types;
  if (only === undefined) return sql<boolean>`1 = 0`;
  return more.length === 0 ? sql<boolean>`type = ${sql.lit(only)}` : sql<boolean>`type in (${sql.join(types)})`;
}

/** The newest events of a channel with so many sessions are soon found by looking at each event. */
const MANY_SESSIONS = 1_000;

async function isOftenUsed(db: SqlDatabase, channel: string): Promise<boolean> {
  const { rows } = await sql`select 1 from conduct_sessions where channel = ${nameKey(channel)}
    limit 1 offset ${MANY_SESSIONS}`.execute(db);
  return rows.length > 0;
}

function rowOf(event: ConductEvent) {
  const { decision, approval } = decisionIds(event);
  return {
    id: nameKey(event.id),
    session: nameKey(event.session),
    agent: nameKey(event.agent),
    type: event.type,
    // A broken clock must not keep the other events out.
    at: Number.isFinite(event.at) ? event.at : 0,
    denied: isDenied(event) ? 1 : 0,
    decision: decision === undefined ? null : nameKey(decision),
    approval: approval === undefined ? null : nameKey(approval),
    contract: contractHashOf(event) ?? null,
    event: eventJson(event),
  };
}

/** Inserts rows on SQLite, and returns the positions of the new ones. */
function inserting(rows: readonly ReturnType<typeof rowOf>[]) {
  return (prepare: Prepare): readonly number[] => {
    const insert = prepare(
      "insert into conduct_events (id, session, agent, type, at, denied, decision, approval, contract, event) " +
        "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing",
    );
    return rows.flatMap(({ id, session, agent, type, at, denied, decision, approval, contract, event }) => {
      const done = insert.run(id, session, agent, type, at, denied, decision, approval, contract, event);
      return done.changes === 0 ? [] : [Number(done.lastInsertRowid)];
    });
  };
}

async function damagedAt(db: SqlDatabase, position: number): Promise<ConductEvent> {
  const row = db.selectFrom("conduct_events").select(EVENT_COLUMNS).where("position", "=", position);
  return keptEvent(await row.executeTakeFirstOrThrow()).event;
}

/** Calls that a rule objected to. Query and index must use the same words, or neither database matches them. */
export function isObjectedCall(kind: SqlKind) {
  const find = sql.raw(kind === "sqlite" ? "instr" : "strpos");
  return sql<boolean>`type = 'call' and (denied = 1 or approval is not null or ${find}(event, '"shadows":[{') > 0)`;
}
