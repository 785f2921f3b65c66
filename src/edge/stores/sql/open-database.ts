import { resolve } from "node:path";
import { type Dialect, Kysely } from "kysely";
import { explainPostgres } from "./dialects/postgres-errors.ts";
import { explainSqlite } from "./dialects/sqlite-errors.ts";
import { migrate } from "./migrations/migrate.ts";
import type { SqlDatabase, SqlKind, Tables } from "./tables.ts";

/** Where a store lies. `heads`: the file outside of it that has the heads of its governance journal. */
export type StorePlace =
  | { readonly kind: "sqlite"; readonly file: string; readonly heads?: string }
  | { readonly kind: "postgres"; readonly url: string; readonly heads?: string };

/** A database with all tables in it, and how to put its errors into words. */
export type OpenDatabase = {
  readonly db: SqlDatabase;
  /** As people may see it, without a password. */
  readonly where: string;
  readonly explain: (error: unknown) => unknown;
};

/** Opens it, and brings its tables up to date. Loads only the driver that it needs. */
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
  const connect = () => sqliteDialect(openSqliteMemory());
  return connected({ where, explain: explainSqlite(where), connect }, "sqlite");
}

async function connected({ where, explain, connect }: Driver, kind: SqlKind): Promise<OpenDatabase> {
  try {
    const db = new Kysely<Tables>({ dialect: connect() });
    try {
      await migrate(db, kind, where);
    } catch (error) {
      await db.destroy();
      throw error;
    }
    return { db, where, explain };
  } catch (error) {
    throw explain(error);
  }
}

type Driver = {
  readonly where: string;
  readonly explain: (error: unknown) => unknown;
  readonly connect: () => Dialect;
};

async function driverOf(place: StorePlace): Promise<Driver> {
  if (place.kind === "sqlite") {
    const [{ openSqliteFile }, { sqliteDialect }] = await Promise.all([
      import("./dialects/sqlite-file.ts"),
      import("./dialects/sqlite-dialect.ts"),
    ]);
    const where = resolve(place.file);
    return { where, explain: explainSqlite(where), connect: () => sqliteDialect(openSqliteFile(where)) };
  }
  const { postgresDialect, shownUrl } = await import("./dialects/postgres-dialect.ts");
  const where = shownUrl(place.url);
  return { where, explain: explainPostgres(where), connect: () => postgresDialect(place.url) };
}
