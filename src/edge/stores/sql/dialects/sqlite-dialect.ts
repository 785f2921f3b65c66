import type { SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
  type TransactionSettings,
} from "kysely";
import { fieldOf } from "../store-error.ts";
import { LIGHT } from "../transactions.ts";
import type { SqliteFile } from "./sqlite-file.ts";

/** How long another process may keep the file locked before the statement fails. */
export const PATIENCE_MS = 5_000;
export const PAUSE_MS = 25;
const SQLITE_BUSY = 5;
/** SQLite waits for the disk at every commit. */
const FULL = 2;

/**
 * Waits for another process's lock without blocking the thread. Statements inside a transaction never wait, because the
 * transaction has the lock.
 */
function waitingForLock(connection: DatabaseConnection, isTransaction: () => boolean): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        try {
          return await connection.executeQuery<R>(query);
        } catch (error) {
          if (!isBusy(error) || isTransaction() || performance.now() >= until) throw error;
        }
        await sleep(PAUSE_MS);
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}

export function isBusy(error: unknown): boolean {
  const code = fieldOf(error, "errcode");
  return typeof code === "number" && (code & 0xff) === SQLITE_BUSY;
}

/** The last turn of each file, by its identity. */
const last = new Map<string, Promise<void>>();

/** Statements block the thread, so the event loop runs at least this often. */
const BREATH_MS = 10;
let breathed = 0;

/**
 * Waits until no other connection of this process uses the file, and returns a function that ends the turn. node:sqlite
 * waits for locks on the only thread, so waiting for our own transaction would be a deadlock.
 */
export async function takeTurn(file: string): Promise<() => void> {
  const before = last.get(file);
  const { promise, resolve } = Promise.withResolvers<void>();
  last.set(file, promise);
  await before;
  if (performance.now() - breathed > BREATH_MS) await breathe();
  return () => {
    if (last.get(file) === promise) last.delete(file);
    resolve();
  };
}

/** Lets sockets and timers run. */
async function breathe(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  breathed = performance.now();
}

const MAX_STATEMENTS = 200;

/** Kysely on node:sqlite. Transactions lock at once, so that processes wait for each other. */
export function sqliteDialect(file: SqliteFile): Dialect {
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new ImmediateDriver(file),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** All migrations are one transaction, so that no other process migrates at the same time. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #file: SqliteFile;
  #endTurn = (): void => undefined;
  #isLight = false;
  /** The value of `synchronous` outside of light transactions. */
  #whole: unknown;

  constructor(file: SqliteFile) {
    super({ database: preparing(file) });
    this.#file = file;
  }

  /** Kysely uses the connection for one query at a time; other connections to the same file wait here. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#endTurn = await takeTurn(this.#file.identity);
    return waitingForLock(await super.acquireConnection(), () => this.#file.database.isTransaction);
  }

  override async releaseConnection(): Promise<void> {
    this.#endTurn();
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings = {}): Promise<void> {
    this.#file.assertInPlace();
    this.#isLight = settings.isolationLevel === LIGHT;
    // In a file that is light as a whole this changes nothing.
    if (this.#isLight) this.#whole ??= this.#synchronous();
    if (this.#isLight && this.#whole === FULL) this.#file.database.exec("pragma synchronous = normal");
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#ended();
  }

  #ended(): void {
    if (this.#isLight && this.#whole === FULL) this.#file.database.exec("pragma synchronous = full");
    this.#isLight = false;
  }

  #synchronous(): unknown {
    return this.#file.database.prepare("pragma synchronous").get()?.synchronous;
  }

  /** A full disk has already rolled back; a second rollback would hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#file.database.isTransaction) await connection.executeQuery(CompiledQuery.raw("rollback"));
    this.#ended();
  }
}

/** Caches the most recent statements, because preparing one costs more than running it. */
function preparing({ database, assertInPlace }: SqliteFile): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>();

  function prepare(sql: string): SqliteStatement {
    const statement = database.prepare(sql);
    const values = (given: readonly unknown[]) => given as readonly SQLInputValue[];
    return {
      // Only reading a pragma to its end runs all of it.
      reader: statement.columns().length > 0 || sql.startsWith("pragma "),
      all: (given) => statement.all(...values(given)),
      run: (given) => statement.run(...values(given)),
      iterate: (given) => statement.iterate(...values(given)),
    };
  }

  return {
    close: () => database.close(),
    prepare(sql) {
      // Not when the connection is acquired: kysely would never release it. A transaction checks when it begins.
      if (!database.isTransaction) assertInPlace();
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
