import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { isObject } from "../../../base/kernel/json.ts";
import { loadOptional } from "../../../base/kernel/optional-package.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { shownUrl } from "../../../edge/stores/sql/dialects/postgres-dialect.ts";
import { explainPostgres } from "../../../edge/stores/sql/dialects/postgres-errors.ts";

export const SPEC010_TABLES = [
  "agent_configurations",
  "user_agent_prompt_customizations",
  "agent_long_term_memory",
] as const;
export type Spec010Table = (typeof SPEC010_TABLES)[number];

const PAGE = 500;

/** A read-only snapshot of a SPEC-010 database. */
export type Spec010Source = {
  /** The existing tables with their row counts. */
  readonly tables: ReadonlyMap<Spec010Table, number>;
  /** Complete rows, grouped by user and agent, oldest first. */
  rows(table: Spec010Table): AsyncIterable<JsonObject>;
  close(): Promise<void>;
};

/** Rejects with what is wrong with the database, and what to do. */
export async function openSpec010(url: string): Promise<Spec010Source> {
  const explain = explainPostgres(shownUrl(url));
  const { default: postgres } = await loadOptional("pg", "Reading a PostgreSQL database", () => import("pg"));
  const client = new postgres.Client({
    connectionString: url,
    application_name: "conduct migrate",
    connectionTimeoutMillis: 5_000,
    query_timeout: 120_000,
  });
  // Without a listener, a broken connection would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("begin transaction isolation level repeatable read read only");
    const tables = new Map<Spec010Table, number>();
    for (const table of SPEC010_TABLES) {
      const rows = await countRows(client, table);
      if (rows !== undefined) tables.set(table, rows);
    }
    return {
      tables,
      rows: (table) => readRows(client, table, explain),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw explain(error);
  }
}

async function countRows(client: pg.Client, table: Spec010Table): Promise<number | undefined> {
  const found = await client.query<{ there: boolean }>("select to_regclass($1) is not null as there", [table]);
  if (found.rows[0]?.there !== true) return undefined;
  const counted = await client.query<{ rows: number }>(`select count(*)::int as rows from ${table}`);
  return counted.rows[0]?.rows ?? 0;
}

async function* readRows(
  client: pg.Client,
  table: Spec010Table,
  explain: (error: unknown) => unknown,
): AsyncGenerator<JsonObject> {
  try {
    // Reading rows as JSON works with any version of the schema.
    const keys = ["user_id", "agent_name", "agent_id", "created_at", "id"].map((key) => `r.row->>'${key}'`);
    const rows = `select r.row from (select to_jsonb(t) as row from ${table} t) r order by ${keys.join(", ")}`;
    await client.query(`declare spec010 no scroll cursor for ${rows}`);
    for (;;) {
      const page = await client.query<{ row: unknown }>(`fetch ${PAGE} from spec010`);
      for (const { row } of page.rows) if (isObject(row)) yield row;
      if (page.rows.length < PAGE) break;
    }
    await client.query("close spec010");
  } catch (error) {
    throw explain(error);
  }
}

/** Writes all rows to a file named after their hash, readable by this account only. Durable when it resolves. */
export async function keepOriginals(
  source: Spec010Source,
  folder: string,
  onRow: () => void,
): Promise<{ readonly file: string; readonly known: boolean }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `spec010-originals-${process.pid}.tmp`);
  const hash = createHash("sha256");
  const handle = await open(draft, "w", 0o600);
  try {
    for (const table of SPEC010_TABLES) {
      if (!source.tables.has(table)) continue;
      for await (const row of source.rows(table)) {
        const line = `${JSON.stringify({ table, row })}\n`;
        hash.update(line);
        await handle.write(line);
        onRow();
      }
    }
    await handle.sync();
    await handle.close();
    const file = join(folder, `spec010-originals-${hash.digest("hex").slice(0, 16)}.jsonl`);
    const known = existsSync(file);
    if (!known) await rename(draft, file);
    return { file, known };
  } finally {
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
  }
}
