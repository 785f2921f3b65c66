import { type Kysely, sql } from "kysely";
import type { SessionSummary } from "../../../../base/ports/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { summarise } from "../../../../engine/journal/session-summary.ts";
import { addToHours } from "../events/figures.ts";
import type { SqlDatabase, Tables } from "../tables.ts";

const PAGE = 500;
const COUNTED = [
  "calls",
  "denials",
  "asked",
  "stops_refused",
  "prompts",
  "prompt_tokens",
  "stable_tokens",
  "tokens_saved",
] as const;

/** Figures by session and hour, what sessions are chosen by, and the texts of what prompts told. Takes in what is there already. */
export async function addFigures(unknown: Kysely<unknown>): Promise<void> {
  const db = unknown.withTables<Tables>();
  await hours(db);
  await sections(db);
  for (const column of [sql`topic text`, sql`complexity text`]) {
    await sql`alter table conduct_sessions add column ${column}`.execute(db);
  }
  // May be absent: a Conduct of before that still runs goes on writing.
  for (const column of ["denials", "incomplete"]) {
    await sql`alter table conduct_sessions add column ${sql.ref(column)} integer not null default 0`.execute(db);
  }
  await fill(db);
}

async function hours({ schema }: SqlDatabase): Promise<void> {
  let table = schema
    .createTable("conduct_figures")
    .addColumn("session", "text", (column) => column.notNull())
    .addColumn("agent", "text", (column) => column.notNull())
    .addColumn("hour", "integer", (column) => column.notNull())
    .addColumn("agent_name", "text", (column) => column.notNull());
  for (const name of COUNTED) table = table.addColumn(name, "bigint", (column) => column.notNull());
  await table.addPrimaryKeyConstraint("conduct_figures_key", ["session", "agent", "hour"]).execute();
  await schema.createIndex("conduct_figures_hour").on("conduct_figures").columns(["hour", "agent"]).execute();
}

async function sections({ schema }: SqlDatabase): Promise<void> {
  await schema
    .createTable("conduct_sections")
    .addColumn("section", "text", (column) => column.primaryKey())
    .addColumn("text", "text", (column) => column.notNull())
    .execute();
  await schema
    .createTable("conduct_section_uses")
    .addColumn("session", "text", (column) => column.notNull())
    .addColumn("section", "text", (column) => column.notNull())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addPrimaryKeyConstraint("conduct_section_uses_key", ["session", "section"])
    .execute();
  await schema.createIndex("conduct_section_uses_of").on("conduct_section_uses").column("section").execute();
  await schema.createIndex("conduct_section_uses_at").on("conduct_section_uses").column("at").execute();
}

/** Every session from its events, in one go over each. */
async function fill(db: SqlDatabase): Promise<void> {
  const all = await db.selectFrom("conduct_events").select("session").distinct().execute();
  for (const { session } of all) {
    let summary: SessionSummary | undefined;
    for (let after = 0; ; ) {
      const rows = await db
        .selectFrom("conduct_events")
        .select(["position", "event"])
        .where("session", "=", session)
        .where("position", ">", after)
        .orderBy("position")
        .limit(PAGE)
        .execute();
      const events = rows.flatMap(({ event }) => read(event));
      for (const event of events) summary = summarise(summary, event);
      await addToHours(db, events);
      after = rows.at(-1)?.position ?? after;
      if (rows.length < PAGE) break;
    }
    if (summary === undefined) continue;
    const { topic = null, complexity = null, denials, incomplete } = summary;
    await sql`update conduct_sessions set summary = ${JSON.stringify(summary)}, topic = ${topic},
      complexity = ${complexity}, denials = ${denials}, incomplete = ${incomplete}
      where session = ${session}`.execute(db);
  }
}

/** What is damaged is told elsewhere. */
function read(event: string): readonly ConductEvent[] {
  try {
    return [JSON.parse(event) as ConductEvent];
  } catch {
    return [];
  }
}
