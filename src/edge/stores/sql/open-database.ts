import { resolve } from "node:path";
import { type Dialect, Kysely, sql } from "kysely";
import { explainPostgres } from "./dialects/postgres-errors.ts";
import { explainSqlite } from "./dialects/sqlite-errors.ts";
import type { SqliteFile } from "./dialects/sqlite-file.ts";
import { migrationsFor } from "./migrations.ts";
import { isMissingTable, StoreError } from "./store-error.ts";
import type { SqlDatabase, SqlKind, Tables } from "./tables.ts";

const TABLE = "conduct_migration";

/** Migrates the tables to this version. Several processes may do so at once. Rejects a store of a newer Conduct. */
async function migrate(db: SqlDatabase, kind: SqlKind, where: string): Promise<void> {
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
    // Otherwise kysely would find a table of that name in any schema.
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
  const what = `The database ${where} has no schema for this account's tables`;
  throw new StoreError("STORE_UNAVAILABLE", what, "Create one, or correct the role's search_path.");
}

/** The place of a store. `heads` is the file with the heads of its governance journal, outside the store. */
export type StorePlace =
  | { readonly kind: "sqlite"; readonly file: string; readonly heads?: string }
  | { readonly kind: "postgres"; readonly url: string; readonly heads?: string };

/** A database with all tables, and a function that explains its errors. */
export type OpenDatabase = {
  readonly db: SqlDatabase;
  /** For people, without the password. */
  readonly where: string;
  readonly explain: (error: unknown) => unknown;
  /** Absent for PostgreSQL. */
  readonly sqlite?: SqliteFile;
};

/** Opens and migrates a database. Loads only the driver that it needs. */
export async function openDatabase(place: StorePlace): Promise<OpenDatabase> {
  return connected(await driverOf(place), place.kind);
}

/** An empty database that ends with this process. */
export async function openMemoryDatabase(): Promise<OpenDatabase> {
  const [{ openSqliteMemory }, { sqliteDialect }] = await Promise.all([
    import("./dialects/sqlite-file.ts"),
    import("./dialects/sqlite-dialect.ts"),
  ]);
  const where = "in memory";
  const connect = () => sqliteDriver(openSqliteMemory(), sqliteDialect);
  return connected({ where, explain: explainSqlite(where), connect }, "sqlite");
}

async function connected({ where, explain, connect }: Driver, kind: SqlKind): Promise<OpenDatabase> {
  try {
    const { dialect, sqlite } = await connect();
    const db = new Kysely<Tables>({ dialect });
    try {
      await migrate(db, kind, where);
    } catch (error) {
      await db.destroy();
      throw error;
    }
    return { db, where, explain, sqlite };
  } catch (error) {
    throw explain(error);
  }
}

type Driver = {
  readonly where: string;
  readonly explain: (error: unknown) => unknown;
  readonly connect: () => Connected | Promise<Connected>;
};

type Connected = { readonly dialect: Dialect; readonly sqlite?: SqliteFile };

function sqliteDriver(sqlite: SqliteFile, dialectOf: (file: SqliteFile) => Dialect): Connected {
  return { dialect: dialectOf(sqlite), sqlite };
}

async function driverOf(place: StorePlace): Promise<Driver> {
  if (place.kind === "sqlite") {
    const [{ openSqliteFile }, { sqliteDialect }] = await Promise.all([
      import("./dialects/sqlite-file.ts"),
      import("./dialects/sqlite-dialect.ts"),
    ]);
    const where = resolve(place.file);
    return { where, explain: explainSqlite(where), connect: () => sqliteDriver(openSqliteFile(where), sqliteDialect) };
  }
  const { postgresDialect, shownUrl } = await import("./dialects/postgres-dialect.ts");
  const where = shownUrl(place.url);
  return {
    where,
    explain: explainPostgres(where),
    connect: async () => ({ dialect: await postgresDialect(place.url) }),
  };
}
