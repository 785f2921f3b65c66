import { sql } from "kysely";
import type { AdherenceRow, AdherenceStore, LastTurn } from "../../../../base/ports/stores/adherence.ts";
import type { SqlDatabase } from "../tables.ts";
import { lightly } from "../transactions.ts";
import { chunks, nameKey, readBody, readJson } from "../values.ts";

/** Adherence in a database. The bodies are JSON, because only their follower reads them. */
export function sqlAdherence(db: SqlDatabase): AdherenceStore {
  const known = (trx: SqlDatabase) =>
    trx.selectFrom("conduct_projections").select("position").where("name", "=", "adherence").executeTakeFirst();
  return {
    position: async () => (await known(db))?.position ?? 0,
    async rows(from, to) {
      const rows = await db
        .selectFrom("conduct_adherence")
        .select("body")
        .where("day", ">=", from)
        .where("day", "<=", to)
        .execute();
      return rows.map(({ body }) => readBody<AdherenceRow>(body, "A row of adherence"));
    },
    async lastTurns(sessions) {
      const turns = new Map<string, LastTurn>();
      for (const some of chunks(sessions)) {
        const keys = some.map(nameKey);
        const rows = await db
          .selectFrom("conduct_adherence_turns")
          .select("body")
          .where("session", "in", keys)
          .execute();
        for (const { body } of rows) {
          const turn = readJson<LastTurn>(body);
          if (turn !== undefined) turns.set(turn.session, turn);
        }
      }
      return turns;
    },
    advance: ({ from, to, rows, turns }) =>
      lightly(db, async (trx) => {
        await sql`insert into conduct_projections (name, position) values ('adherence', 0)
          on conflict (name) do nothing`.execute(trx);
        const moved = await trx
          .updateTable("conduct_projections")
          .set({ position: to })
          .where("name", "=", "adherence")
          .where("position", "=", from)
          .executeTakeFirst();
        if (moved.numUpdatedRows !== 1n) return false;
        for (const some of chunks(rows.map(keptRow))) {
          const insert = trx.insertInto("conduct_adherence").values(some);
          await insert
            .onConflict((conflict) =>
              conflict.columns(["day", "item"]).doUpdateSet(({ ref }) => ({ body: ref("excluded.body") })),
            )
            .execute();
        }
        const kept = turns.map((turn) => ({ session: nameKey(turn.session), body: JSON.stringify(turn) }));
        for (const some of chunks(kept)) {
          const insert = trx.insertInto("conduct_adherence_turns").values(some);
          await insert
            .onConflict((conflict) =>
              conflict.column("session").doUpdateSet(({ ref }) => ({ body: ref("excluded.body") })),
            )
            .execute();
        }
        return true;
      }),
    clear: () =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom("conduct_projections").where("name", "=", "adherence").execute();
        await trx.deleteFrom("conduct_adherence").execute();
        await trx.deleteFrom("conduct_adherence_turns").execute();
      }),
  };
}

function keptRow(row: AdherenceRow) {
  return { day: row.day, item: JSON.stringify([row.of, row.id, row.by ?? null]), body: JSON.stringify(row) };
}
