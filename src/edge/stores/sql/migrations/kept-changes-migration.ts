import type { Kysely } from "kysely";

/** What has happened in a kept session since its snapshot, one row for each time it was kept. */
export async function addKeptChanges({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable("conduct_kept_sessions")
    .addColumn("changes", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable("conduct_kept_changes")
    .addColumn("session", "text", (column) =>
      column.notNull().references("conduct_kept_sessions.session").onDelete("cascade"),
    )
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("change", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("conduct_kept_changes_key", ["session", "version"])
    .execute();
}
