import { sql } from "kysely";
import { wellFormed } from "../../../../base/kernel/text.ts";
import type { SectionTold } from "../../../../base/ports/stores/event-journal.ts";
import { SECTION_REFRESH_MS } from "../../../../engine/journal/section-writer.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { lightly } from "../transactions.ts";
import { chunks, nameKey } from "../values.ts";

/** Inserts and garbage collection are serialised, so a text in use is never deleted. */
async function inTurn(trx: SqlDatabase, kind: SqlKind): Promise<void> {
  if (kind === "postgres") await sql`select pg_advisory_xact_lock(hashtext(current_schema()), 1869)`.execute(trx);
}

/** The texts are sealed, because a prompt contains people's instructions and notes. */
export async function keepSections(
  db: SqlDatabase,
  kind: SqlKind,
  keys: Pick<StoreKeys, "seal">,
  told: readonly SectionTold[],
): Promise<void> {
  const seal = await keys.seal();
  const texts = new Map(
    told.map(({ hash, text }) => {
      const section = nameKey(hash);
      return [section, { section, text: seal.close("conduct_sections.text", [section], plain(text)) }];
    }),
  );
  const uses = new Map(
    told.map(({ session, at, hash }) => [
      JSON.stringify([session, hash]),
      { session: nameKey(session), section: nameKey(hash), at },
    ]),
  );
  if (texts.size === 0) return;
  await lightly(db, async (trx) => {
    await inTurn(trx, kind);
    for (const some of chunks([...texts.values()])) {
      await trx
        .insertInto("conduct_sections")
        .values(some)
        .onConflict((conflict) => conflict.column("section").doNothing())
        .execute();
    }
    for (const some of chunks([...uses.values()])) {
      await trx
        .insertInto("conduct_section_uses")
        .values(some)
        .onConflict((conflict) =>
          conflict.columns(["session", "section"]).doUpdateSet(({ ref }) => ({ at: ref("excluded.at") })),
        )
        .execute();
    }
  });
}

export async function readSections(
  db: SqlDatabase,
  keys: Pick<StoreKeys, "seal">,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const seal = await keys.seal();
  const asked = new Map(hashes.map((hash) => [nameKey(hash), hash]));
  const found = new Map<string, string>();
  for (const some of chunks([...asked.keys()])) {
    const rows = await db
      .selectFrom("conduct_sections")
      .select(["section", "text"])
      .where("section", "in", some)
      .execute();
    for (const { section, text } of rows) {
      const hash = asked.get(section);
      if (hash !== undefined) found.set(hash, seal.open("conduct_sections.text", [section], text));
    }
  }
  return found;
}

/** Deletes the uses of a session, or uses from before a time, and all texts without a use. */
export async function dropSections(
  trx: SqlDatabase,
  kind: SqlKind,
  which: { readonly session: string } | { readonly before: number },
): Promise<void> {
  await inTurn(trx, kind);
  const gone = trx.deleteFrom("conduct_section_uses").returning("section");
  const dropped = await ("session" in which
    ? gone.where("session", "=", nameKey(which.session))
    : gone.where("at", "<", which.before - SECTION_REFRESH_MS)
  ).execute();
  for (const some of chunks([...new Set(dropped.map(({ section }) => section))])) {
    await trx
      .deleteFrom("conduct_sections")
      .where("section", "in", some)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("conduct_section_uses")
              .select("session")
              .whereRef("conduct_section_uses.section", "=", "conduct_sections.section"),
          ),
        ),
      )
      .execute();
  }
}

/** PostgreSQL stores no NUL. */
function plain(text: string): string {
  return wellFormed(text).replaceAll("\0", "\ufffd");
}
