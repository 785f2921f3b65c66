import { sql } from "kysely";
import type { SealState } from "../sql/migrations.ts";
import { isKeyedHash, noteHash } from "../sql/search/note-index.ts";
import { rebuildNotes } from "../sql/search/rebuild-search.ts";
import type { SqlDatabase, SqlKind } from "../sql/tables.ts";
import { isSealed, SEALED_COLUMNS, type Seal, type SealedColumn, type SealedRow } from "./seal.ts";

/** Rows per transaction: others may write in between. */
const PAGE = 100;

/**
 * Seals rows that an older Conduct left in clear. Sealed rows are marked, so an interrupted run is continued by the
 * next one, and several processes may run at once.
 */
export async function sealExisting(db: SqlDatabase, kind: SqlKind, seal: Seal): Promise<void> {
  const { state } = await db.selectFrom("conduct_seal").select("state").executeTakeFirstOrThrow();
  if (state === "plain") {
    await sealNotes(db, kind, seal);
    for (const column of Object.keys(SEALED_COLUMNS) as SealedColumn[])
      if (column !== "conduct_notes.text") await sealColumn(db, column, seal);
    await setState(db, "sealed");
  }
  if (kind === "sqlite") await rewriteFile(db);
}

async function sealColumn(db: SqlDatabase, of: SealedColumn, seal: Seal): Promise<void> {
  const { table, column, keys } = partsOf(of);
  const names = sql.join(keys.map((key) => sql.ref(key)));
  for (let after: SealedRow | undefined; ; ) {
    const from = after === undefined ? sql`` : sql`where (${names}) > (${sql.join(after)})`;
    const page = sql<Record<string, unknown>>`select ${names}, ${sql.ref(column)} as content from ${sql.table(table)}
      ${from} order by ${names} limit ${PAGE}`;
    const { rows } = await page.execute(db);
    const rowOf = (row: Record<string, unknown>) => keys.map((key) => row[key] as string | number);
    await db.transaction().execute(async (trx) => {
      for (const row of rows) await sealValue(trx, of, rowOf(row), row.content, seal);
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = rowOf(last);
  }
}

/** Only if the value is unchanged: a newer value is sealed already. */
async function sealValue(
  db: SqlDatabase,
  of: SealedColumn,
  row: SealedRow,
  content: unknown,
  seal: Seal,
): Promise<void> {
  if (typeof content !== "string" || content === "" || isSealed(content)) return;
  const sealed = seal.close(of, row, content);
  const { table, column, keys } = partsOf(of);
  const same = keys.map((key, at) => sql`${sql.ref(key)} = ${row[at]}`);
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
    where ${sql.join(same, sql` and `)} and ${sql.ref(column)} = ${content}`.execute(db);
}

/** Recomputes the hashes and word index of notes under the key, at once, because notes are few. */
async function sealNotes(db: SqlDatabase, kind: SqlKind, seal: Seal): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const notes = await trx.selectFrom("conduct_notes").select(["seq", "owner", "text", "text_hash"]).execute();
    for (const { seq, owner, text, text_hash: hash } of notes) {
      if (isKeyedHash(hash)) continue;
      const keyed = noteHash(seal, text);
      const sealed = seal.close("conduct_notes.text", [owner, keyed], text);
      await trx.updateTable("conduct_notes").set({ text: sealed, text_hash: keyed }).where("seq", "=", seq).execute();
    }
    await rebuildNotes(trx, kind, seal);
  });
}

/**
 * Freed pages of a SQLite file and its log keep old text, so both are rewritten. If another process is in the way, the
 * next start tries again.
 */
async function rewriteFile(db: SqlDatabase): Promise<void> {
  try {
    await sql`vacuum`.execute(db);
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy === 0) await setState(db, "clean");
  } catch {
    // A busy store or a full disk; the rows are sealed anyway.
  }
}

async function setState(db: SqlDatabase, state: SealState): Promise<void> {
  await db.updateTable("conduct_seal").set({ state }).execute();
}

function partsOf(of: SealedColumn) {
  const [table = "", column = ""] = of.split(".");
  return { table, column, keys: SEALED_COLUMNS[of] as readonly string[] };
}
