import { sql } from "kysely";
import { isMissingTable, StoreError } from "../store-error.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { migrationsFor } from "./migrations.ts";

const TABLE = "conduct_migration";

/** Brings the tables up to this version of Conduct; several processes may do so at once. Refuses what a newer one has made. */
export async function migrate(db: SqlDatabase, kind: SqlKind, where: string): Promise<void> {
  const migrations = migrationsFor(kind);
  const done = await doneBefore(db);
  const newer = done.filter((name) => !(name in migrations));
  if (newer.length > 0) {
    const what = `The store ${where} was made by a newer Conduct (${newer.join(", ")})`;
    throw new StoreError("STORE_NEWER", what, "Update Conduct here, or name another store.");
  }
  if (Object.keys(migrations).every((name) => done.includes(name))) return;
  const { Migrator } = await import("kysely/migration");
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: TABLE,
    migrationLockTableName: `${TABLE}_lock`,
    // Otherwise kysely takes a table of that name in any schema for ours.
    ...(kind === "sqlite" ? {} : { migrationTableSchema: await currentSchema(db, where) }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

async function doneBefore(db: SqlDatabase): Promise<readonly string[]> {
  try {
    const rows = await db.selectFrom(TABLE).select("name").execute();
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}

async function currentSchema(db: SqlDatabase, where: string): Promise<string> {
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db);
  const schema = rows[0]?.schema ?? null;
  if (schema !== null) return schema;
  const what = `The database ${where} has no schema in which this account's tables would lie`;
  throw new StoreError("STORE_UNAVAILABLE", what, "Create one, or correct the role's search_path.");
}
