import type { SQLInputValue } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from "kysely";
import { waitingForLock } from "./sqlite-busy.ts";
import type { SqliteFile } from "./sqlite-file.ts";
import { takeTurn } from "./sqlite-turns.ts";

const MAX_STATEMENTS = 200;

/** Kysely on node:sqlite. Transactions lock at once, so that processes wait for each other; connections of one take turns. */
export function sqliteDialect(file: SqliteFile): Dialect {
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new ImmediateDriver(file),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Migrations are one transaction, which also keeps other processes from migrating at the same time. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #file: SqliteFile;
  #endTurn = (): void => undefined;

  constructor(file: SqliteFile) {
    super({ database: preparing(file) });
    this.#file = file;
  }

  /** Kysely gives the connection to one at a time; other connections to the same file wait here. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#endTurn = await takeTurn(this.#file.identity);
    return waitingForLock(await super.acquireConnection(), () => this.#file.database.isTransaction);
  }

  override async releaseConnection(): Promise<void> {
    this.#endTurn();
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  /** A full disk has rolled back already; to do it again would hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#file.database.isTransaction) await connection.executeQuery(CompiledQuery.raw("rollback"));
  }
}

/** Statements are kept, the most recent of them: to prepare one costs more than to run it. */
function preparing({ database, assertInPlace }: SqliteFile): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>();

  function prepare(sql: string): SqliteStatement {
    const statement = database.prepare(sql);
    const values = (given: readonly unknown[]) => given as readonly SQLInputValue[];
    return {
      reader: statement.columns().length > 0,
      all: (given) => statement.all(...values(given)),
      run: (given) => statement.run(...values(given)),
      iterate: (given) => statement.iterate(...values(given)),
    };
  }

  return {
    close: () => database.close(),
    prepare(sql) {
      // Here and not where the connection is taken: kysely would never give that back.
      assertInPlace();
      const statement = kept.get(sql) ?? prepare(sql);
      kept.delete(sql);
      kept.set(sql, statement);
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_STATEMENTS) break;
        kept.delete(oldest);
      }
      return statement;
    },
  };
}
