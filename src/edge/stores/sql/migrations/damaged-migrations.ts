import type { Kysely } from "kysely";

/** Entries of the governance journal that an operator's repair has set aside, as they were found. Nothing is ever removed from it. */
export async function addGovernanceDamaged({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("conduct_governance_damaged")
    .addColumn("repair", "text", (column) => column.notNull())
    .addColumn("seq", "integer", (column) => column.notNull())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addColumn("by", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("prev", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("conduct_governance_damaged_key", ["repair", "seq"])
    .execute();
}

/** States of sessions that could not be decoded, as they were found. They go with their session, and after 30 days. */
export async function addDamagedSessions({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("conduct_damaged_sessions")
    .addColumn("session", "text", (column) => column.notNull())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addColumn("why", "text", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("snapshot", "text", (column) => column.notNull())
    .addColumn("beside", "text", (column) => column.notNull())
    .addColumn("changes", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("conduct_damaged_sessions_of").on("conduct_damaged_sessions").column("session").execute();
}
