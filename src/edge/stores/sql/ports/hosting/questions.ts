import type { QuestionsStore } from "../../../../../base/ports/stores/hosting/questions.ts";
import type { PendingApproval } from "../../../../../base/words/hosting/question.ts";
import type { Seal } from "../../../seal/seal.ts";
import type { StoreKeys } from "../../../seal/store-keys.ts";
import type { SqlDatabase } from "../../tables.ts";
import { didWrite, firstOf, nameKey, readBody } from "../../values.ts";

/** The answer of an "always" that somebody has ended. */
const ENDED = "ended";

/** Stores questions to people in a database. Their texts are sealed. */
export function sqlQuestions(db: SqlDatabase, keys: Pick<StoreKeys, "seal">): QuestionsStore {
  const questions = () => db.selectFrom("conduct_questions").select(["approval", "body"]);
  const change = (approval: string) => db.updateTable("conduct_questions").where("approval", "=", nameKey(approval));

  async function add(question: PendingApproval, at: number, answer?: { readonly by: string }): Promise<void> {
    const approval = nameKey(question.approval);
    const body = (await keys.seal()).close("conduct_questions.body", [approval], JSON.stringify(question));
    await db
      .insertInto("conduct_questions")
      .values({
        ...{ approval, session: nameKey(question.session), body, at, expires_at: question.expiresAt },
        answer: answer === undefined ? null : "always",
        answered_by: answer?.by ?? null,
        answered_at: answer === undefined ? null : at,
      })
      .onConflict((conflict) => conflict.column("approval").doNothing())
      .execute();
  }

  return {
    add: (question, at) => add(question, at),
    addAlways: (question, by, at) => add(question, at, { by }),
    async find(approval) {
      const seal = await keys.seal();
      const known = questions().where("approval", "=", nameKey(approval));
      const shown = known.where((where) => where.or([where("answer", "is", null), where("answer", "=", "always")]));
      return firstOf(shown, (row) => questionOf(row, seal));
    },
    async open(now) {
      const seal = await keys.seal();
      const open = questions().where("answer", "is", null).where("expires_at", ">", now);
      return (await open.orderBy("at").orderBy("approval").execute()).map((row) => questionOf(row, seal));
    },
    async always() {
      const seal = await keys.seal();
      const rows = await questions().where("answer", "=", "always").orderBy("at").orderBy("approval").execute();
      return rows.map((row) => questionOf(row, seal));
    },
    answer: (approval, { answer, by }, now) =>
      didWrite(
        change(approval)
          .set({ answer, answered_by: by, answered_at: now })
          .where("answer", "is", null)
          .where("expires_at", ">", now),
      ),
    async reopen(approval) {
      await change(approval).set({ answer: null, answered_by: null, answered_at: null }).execute();
    },
    endAlways: (approval, by, now) =>
      didWrite(
        change(approval).set({ answer: ENDED, answered_by: by, answered_at: now }).where("answer", "=", "always"),
      ),
    async forget(session) {
      await db.deleteFrom("conduct_questions").where("session", "=", nameKey(session)).execute();
    },
    async expire(before) {
      const old = db.deleteFrom("conduct_questions").where("expires_at", "<", before);
      await old.where((where) => where.or([where("answer", "is", null), where("answer", "<>", "always")])).execute();
    },
  };
}

function questionOf(
  { approval, body }: { readonly approval: string; readonly body: string },
  seal: Seal,
): PendingApproval {
  return readBody<PendingApproval>(seal.open("conduct_questions.body", [approval], body), "A question");
}
