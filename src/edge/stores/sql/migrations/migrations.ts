import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { addObjectedCalls } from "../events/objected-calls.ts";
import type { SqlKind } from "../tables.ts";
import { addDamagedSessions, addGovernanceDamaged } from "./damaged-migrations.ts";
import { addFigures } from "./figures-migration.ts";
import { addGateway } from "./gateway-migration.ts";
import { createGovernance } from "./governance-table.ts";
import { addKeptChanges } from "./kept-changes-migration.ts";
import { addSeal } from "./seal-migration.ts";
import { addContractTold, addSearch } from "./search-migration.ts";

/** By name, in order. Forward only: one that was released is never changed, a new one is added after it. */
export function migrationsFor(kind: SqlKind): Readonly<Record<string, Migration>> {
  return {
    "0001-stores": {
      async up(db: Kysely<unknown>) {
        await instructions(db);
        await notes(db, kind);
        await results(db, kind);
        await createGovernance(db);
      },
    },
    "0002-events": {
      async up(db: Kysely<unknown>) {
        await events(db, kind);
        await sessions(db);
      },
    },
    "0003-search": { up: (db: Kysely<unknown>) => addSearch(db, kind) },
    "0004-agents": { up: agents },
    "0005-kept-sessions": { up: keptSessions },
    "0006-contract-told": { up: (db: Kysely<unknown>) => addContractTold(db, kind) },
    "0007-gateway": { up: addGateway },
    "0008-figures": { up: addFigures },
    "0009-objected-calls": { up: (db: Kysely<unknown>) => addObjectedCalls(db, kind) },
    "0010-kept-changes": { up: addKeptChanges },
    "0011-governance-damaged": { up: addGovernanceDamaged },
    "0012-damaged-sessions": { up: addDamagedSessions },
    "0013-seal": { up: (db: Kysely<unknown>) => addSeal(db, kind) },
  };
}

async function instructions({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("conduct_instructions")
    .addColumn("owner", "text", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("owner_name", "text", (column) => column.notNull())
    .addColumn("items", "text", (column) => column.notNull())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addColumn("session", "text", (column) => column.notNull())
    .addColumn("change", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("conduct_instructions_key", ["owner", "version"])
    .execute();
}

async function notes(db: Kysely<unknown>, kind: SqlKind): Promise<void> {
  const table = db.schema.createTable("conduct_notes");
  const counted =
    kind === "sqlite"
      ? table.addColumn("seq", "integer", (column) => column.primaryKey().autoIncrement())
      : table
          .addColumn("seq", "bigint", (column) => column.primaryKey().generatedAlwaysAsIdentity())
          .addColumn("words", sql`tsvector`, (column) => column.notNull());
  await counted
    .addColumn("owner", "text", (column) => column.notNull())
    .addColumn("owner_name", "text", (column) => column.notNull())
    .addColumn("text_hash", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("text", "text", (column) => column.notNull())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addUniqueConstraint("conduct_notes_once", ["owner", "text_hash"])
    .execute();
  await db.schema.createIndex("conduct_notes_newest").on("conduct_notes").columns(["owner", "at", "seq"]).execute();
  // Neither holds the texts: they stand in the table. `ascii` takes all beyond ASCII for letters, so that our own words stay whole.
  const words =
    kind === "sqlite"
      ? sql`create virtual table conduct_note_words
          using fts5(words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`
      : sql`create index conduct_note_words on conduct_notes using gin (words)`;
  await words.execute(db);
}

/** In parts, because neither database likes values of hundreds of megabytes. */
async function results({ schema }: Kysely<unknown>, kind: SqlKind): Promise<void> {
  await schema
    .createTable("conduct_results")
    .addColumn("result", "text", (column) => column.primaryKey())
    .addColumn("session", "text", (column) => column.notNull())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("conduct_results_oldest").on("conduct_results").columns(["at", "result"]).execute();
  await schema.createIndex("conduct_results_session").on("conduct_results").column("session").execute();
  await schema
    .createTable("conduct_result_parts")
    .addColumn("result", "text", (column) => column.notNull().references("conduct_results.result").onDelete("cascade"))
    .addColumn("part", "integer", (column) => column.notNull())
    .addColumn("data", kind === "sqlite" ? "blob" : "bytea", (column) => column.notNull())
    .addPrimaryKeyConstraint("conduct_result_parts_key", ["result", "part"])
    .execute();
}

async function events(db: Kysely<unknown>, kind: SqlKind): Promise<void> {
  const table = db.schema.createTable("conduct_events");
  // Never given again, also when the newest event is gone: who follows goes by it.
  const counted =
    kind === "sqlite"
      ? table.addColumn("position", "integer", (column) => column.primaryKey().autoIncrement())
      : table.addColumn("position", "bigint", (column) => column.primaryKey().generatedAlwaysAsIdentity());
  await counted
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("session", "text", (column) => column.notNull())
    .addColumn("agent", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addColumn("denied", "integer", (column) => column.notNull())
    .addColumn("decision", "text")
    .addColumn("approval", "text")
    .addColumn("event", "text", (column) => column.notNull())
    .execute();
  const indexes = [
    sql`create index conduct_events_session on conduct_events (session, position)`,
    sql`create index conduct_events_at on conduct_events (at)`,
    sql`create index conduct_events_denied on conduct_events (position) where denied = 1`,
    sql`create index conduct_events_decision on conduct_events (decision) where decision is not null`,
    sql`create index conduct_events_approval on conduct_events (approval) where approval is not null`,
  ];
  for (const index of indexes) await index.execute(db);
}

async function sessions({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("conduct_sessions")
    .addColumn("session", "text", (column) => column.primaryKey())
    .addColumn("agent", "text", (column) => column.notNull())
    .addColumn("channel", "text")
    .addColumn("user_name", "text")
    .addColumn("last_at", "double precision", (column) => column.notNull())
    .addColumn("summary", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("conduct_sessions_newest").on("conduct_sessions").columns(["last_at", "session"]).execute();
}

async function agents({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("conduct_agents")
    .addColumn("agent", "text", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("conduct_agents_key", ["agent", "version"])
    .execute();
}

async function keptSessions({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("conduct_kept_sessions")
    .addColumn("session", "text", (column) => column.primaryKey())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addColumn("snapshot", "text", (column) => column.notNull())
    .addColumn("beside", "text", (column) => column.notNull())
    .addColumn("holder", "text")
    .addColumn("held_until", "double precision", (column) => column.notNull())
    .execute();
  await schema.createIndex("conduct_kept_sessions_at").on("conduct_kept_sessions").column("at").execute();
  await schema.createIndex("conduct_kept_sessions_holder").on("conduct_kept_sessions").column("holder").execute();
}
