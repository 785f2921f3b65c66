import { sql } from "kysely";
import type { AnswersStore } from "../../../../../base/ports/stores/hosting/answers.ts";
import type { SqlDatabase } from "../../tables.ts";
import { didWrite } from "../../values.ts";

/** Processes without a row are gone. On SQLite there are no rows, because there is one gateway at a time. */
const isGone = sql<boolean>`conduct_answers.process not in (select replica from conduct_replicas)`;

/** Stores who answers which message of a channel. The rows contain ids only. */
export function sqlAnswers(db: SqlDatabase): AnswersStore {
  const own = (message: string, by: string) =>
    db.updateTable("conduct_answers").where("message", "=", message).where("process", "=", by);
  return {
    async claim(message, by, at) {
      const claim = db
        .insertInto("conduct_answers")
        .values({ message, process: by, turn: null, at, answered_at: null })
        .onConflict((conflict) =>
          conflict
            .column("message")
            .doUpdateSet({ process: by })
            .where("conduct_answers.answered_at", "is", null)
            .where((where) => where.or([where("conduct_answers.process", "=", by), isGone])),
        );
      if (await didWrite(claim)) return "mine";
      const known = db.selectFrom("conduct_answers").select("answered_at").where("message", "=", message);
      return (await known.executeTakeFirst())?.answered_at === null ? "theirs" : "answered";
    },
    async attach(message, by, turn) {
      await own(message, by).set({ turn }).execute();
    },
    async takeOver(by) {
      const rows = await db
        .updateTable("conduct_answers")
        .set({ process: by })
        .where("answered_at", "is", null)
        .where("turn", "is not", null)
        .where("process", "<>", by)
        .where(isGone)
        .returning(["message", "turn"])
        .execute();
      return rows.flatMap(({ message, turn }) => (turn === null ? [] : [{ message, turn }]));
    },
    async isOwed(message, by) {
      const owed = db.selectFrom("conduct_answers").select("message").where("message", "=", message);
      const found = await owed.where("process", "=", by).where("answered_at", "is", null).executeTakeFirst();
      return found !== undefined;
    },
    async settle(message, by, at) {
      await own(message, by).set({ answered_at: at }).execute();
    },
    async expire(before) {
      await db.deleteFrom("conduct_answers").where("at", "<", before).execute();
    },
  };
}
