import type { AgentSeen, SessionQuery, SessionSummary } from "../../../base/ports/event-journal.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { summarise } from "../../../engine/journal/session-summary.ts";
import { checkedLimit } from "../events-range.ts";
import { nameKey } from "./names.ts";
import { StoreError } from "./store-error.ts";
import type { SqlDatabase } from "./tables.ts";

const PAGE = 1_000;

/** Brings the sessions' figures up to events that were just written, in the same transaction. */
export async function addToSessions(trx: SqlDatabase, events: readonly ConductEvent[]): Promise<void> {
  for (const [session, some] of Map.groupBy(events, (event) => event.session)) {
    const row = await summaryRow(trx, session);
    let summary = row === undefined ? undefined : readOr(row.summary);
    // What is damaged is worked out anew; it must not keep out what happens from now on.
    if (row !== undefined && summary === undefined) {
      await foldAgain(trx, nameKey(session));
      continue;
    }
    for (const event of some) summary = summarise(summary, event);
    if (summary !== undefined) await write(trx, summary);
  }
}

/** Works out the figures of one session, named by its key, from the events that are kept. */
export async function foldAgain(trx: SqlDatabase, session: string): Promise<void> {
  let summary: SessionSummary | undefined;
  for (let after = 0; ; ) {
    const rows = await trx
      .selectFrom("conduct_events")
      .select(["position", "event"])
      .where("session", "=", session)
      .where("position", ">", after)
      .orderBy("position")
      .limit(PAGE)
      .execute();
    for (const { event } of rows) {
      const read = readOr<ConductEvent>(event);
      if (read !== undefined) summary = summarise(summary, read);
    }
    after = rows.at(-1)?.position ?? after;
    if (rows.length < PAGE) break;
  }
  await trx.deleteFrom("conduct_sessions").where("session", "=", session).execute();
  if (summary !== undefined) await write(trx, summary);
}

export async function sessionOf(db: SqlDatabase, id: string): Promise<SessionSummary | undefined> {
  const row = await summaryRow(db, id);
  return row === undefined ? undefined : read(row.summary);
}

function summaryRow(db: SqlDatabase, id: string): Promise<{ readonly summary: string } | undefined> {
  return db.selectFrom("conduct_sessions").select("summary").where("session", "=", nameKey(id)).executeTakeFirst();
}

export async function readSessions(
  db: SqlDatabase,
  { agent, channel, user, since, limit, offset = 0 }: SessionQuery,
): Promise<{ readonly sessions: readonly SessionSummary[]; readonly total: number }> {
  const asked = db
    .selectFrom("conduct_sessions")
    .$if(agent !== undefined, (some) => some.where("agent", "=", nameKey(agent ?? "")))
    .$if(channel !== undefined, (some) => some.where("channel", "=", nameKey(channel ?? "")))
    .$if(user !== undefined, (some) => some.where("user_name", "=", nameKey(user ?? "")))
    .$if(since !== undefined, (some) => some.where("last_at", ">=", since ?? 0));
  const rows = await asked
    .select("summary")
    .orderBy("last_at", "desc")
    .orderBy("session")
    .limit(checkedLimit(limit))
    .offset(offset)
    .execute();
  const { total } = await asked.select((select) => select.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  return { sessions: rows.map(({ summary }) => read(summary)), total };
}

export async function sessionAgents(db: SqlDatabase): Promise<readonly AgentSeen[]> {
  const rows = await db
    .selectFrom("conduct_sessions")
    .select((select) => [
      "agent",
      select.fn.countAll<number>().as("sessions"),
      select.fn.max("last_at").as("last_at"),
      // Any of them: the name in full stands in the summary.
      select.fn.max("summary").as("summary"),
    ])
    .groupBy("agent")
    .orderBy("last_at", "desc")
    .orderBy("agent")
    .execute();
  return rows.map(({ sessions, last_at, summary }) => ({ agent: read(summary).agent, sessions, lastAt: last_at }));
}

async function write(trx: SqlDatabase, summary: SessionSummary): Promise<void> {
  const { session, agent, channel, user, lastAt } = summary;
  const row = {
    agent: nameKey(agent),
    channel: channel === undefined ? null : nameKey(channel),
    user_name: user === undefined ? null : nameKey(user),
    last_at: lastAt,
    summary: JSON.stringify(summary),
  };
  await trx
    .insertInto("conduct_sessions")
    .values({ session: nameKey(session), ...row })
    .onConflict((conflict) => conflict.column("session").doUpdateSet(row))
    .execute();
}

function read(summary: string): SessionSummary {
  const found = readOr<SessionSummary>(summary);
  if (found !== undefined) return found;
  throw new StoreError("STORE_DAMAGED", "A session's figures cannot be read", "Run: conduct journal rebuild");
}

/** `undefined` for what is damaged. */
function readOr<T = SessionSummary>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
