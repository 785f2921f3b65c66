import type { ConversationsStore } from "../../../../base/ports/stores/conversations.ts";
import type { Conversation, TurnRecord } from "../../../../base/words/hosting/conversation.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { Seal } from "../../seal/seal.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import { isConflict, StoreError } from "../store-error.ts";
import type { SqlDatabase } from "../tables.ts";
import type { Write } from "../transactions.ts";
import { chunks, keyOf, nameKey, readBody } from "../values.ts";

/** Stores conversations, transcripts and turns in a database. Their content is sealed. */
export function sqlConversations(db: SqlDatabase, write: Write, keys: Pick<StoreKeys, "seal">): ConversationsStore {
  const all = () => db.selectFrom("conduct_conversations").select(["body", "last_at"]);

  async function touch(trx: SqlDatabase, { conversation, at, endedAt = at }: TurnRecord): Promise<void> {
    await trx
      .updateTable("conduct_conversations")
      .set({ last_at: endedAt })
      .where("conversation", "=", nameKey(conversation))
      .where("last_at", "<", endedAt)
      .execute();
  }

  return {
    async create(conversation) {
      const { id, user, agent, channel, address, lastAt } = conversation;
      await db
        .insertInto("conduct_conversations")
        .values({
          conversation: nameKey(id),
          user_id: nameKey(user),
          agent: nameKey(agent),
          channel: nameKey(channel),
          address: address === undefined ? null : nameKey(address),
          last_at: lastAt,
          body: JSON.stringify(conversation),
        })
        .execute();
    },
    async read(id) {
      const row = await all().where("conversation", "=", nameKey(id)).executeTakeFirst();
      return row === undefined ? undefined : conversationOf(row);
    },
    async at(channel, address) {
      const row = await all()
        .where("channel", "=", nameKey(channel))
        .where("address", "=", nameKey(address))
        .orderBy("last_at", "desc")
        .orderBy("conversation", "desc")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? undefined : conversationOf(row);
    },
    async list({ user, agent, channel, before, limit }) {
      const asked = all()
        .select("conversation")
        .$if(user !== undefined, (some) => some.where("user_id", "=", nameKey(user ?? "")))
        .$if(agent !== undefined, (some) => some.where("agent", "=", nameKey(agent ?? "")))
        .$if(channel !== undefined, (some) => some.where("channel", "=", nameKey(channel ?? "")))
        .$if(before !== undefined, (some) => some.where("last_at", "<", before ?? 0))
        .orderBy("last_at", "desc")
        .orderBy("conversation", "desc");
      const rows = await asked.limit(limit).execute();
      const last = rows.at(-1);
      const beside =
        last === undefined || rows.length < limit
          ? []
          : await asked.where("last_at", "=", last.last_at).where("conversation", "<", last.conversation).execute();
      return [...rows, ...beside].flatMap((row) => unlessDamaged(() => conversationOf(row)) ?? []);
    },
    async append(id, after, entries) {
      const conversation = nameKey(id);
      const seal = await keys.seal();
      try {
        return await write(async (trx) => {
          const last = await trx
            .selectFrom("conduct_transcripts")
            .select("seq")
            .where("conversation", "=", conversation)
            .orderBy("seq", "desc")
            .limit(1)
            .executeTakeFirst();
          if ((last?.seq ?? 0) !== after) return false;
          const rows = entries.map((entry, at) => ({
            conversation,
            seq: after + at + 1,
            entry: seal.close("conduct_transcripts.entry", [conversation, after + at + 1], JSON.stringify(entry)),
          }));
          for (const some of chunks(rows)) await trx.insertInto("conduct_transcripts").values(some).execute();
          return true;
        });
      } catch (error) {
        // A concurrent writer has taken the key.
        if (isConflict(error)) return false;
        throw error;
      }
    },
    async transcript(id) {
      const conversation = nameKey(id);
      const seal = await keys.seal();
      const rows = await db
        .selectFrom("conduct_transcripts")
        .select(["seq", "entry"])
        .where("conversation", "=", conversation)
        .orderBy("seq")
        .execute();
      return rows.map(({ seq, entry }) => ({
        seq,
        entry:
          unlessDamaged(() =>
            readBody<JsonObject>(seal.open("conduct_transcripts.entry", [conversation, seq], entry), "A transcript"),
          ) ?? DAMAGED_ENTRY,
      }));
    },
    async addTurn(turn) {
      const { id, conversation, messageId } = turn;
      const message = messageId === undefined ? null : keyOf(conversation, messageId);
      const seal = await keys.seal();
      // One commit for both, because commits are the cost.
      return write(async (trx) => {
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("conduct_turns")
          .values({
            turn: nameKey(id),
            conversation: nameKey(conversation),
            message,
            ...stateOf(turn, seal),
            at: turn.at,
          })
          .onConflict((conflict) => conflict.columns(["conversation", "message"]).doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows !== 1n && message !== null) {
          const same = await trx
            .selectFrom("conduct_turns")
            .select(["turn", "body"])
            .where("conversation", "=", nameKey(conversation))
            .where("message", "=", message)
            .executeTakeFirstOrThrow();
          return turnOf(same, seal);
        }
        await touch(trx, turn);
        return turn;
      });
    },
    async updateTurn(turn) {
      const seal = await keys.seal();
      return write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("conduct_turns")
          .set(stateOf(turn, seal))
          .where("turn", "=", nameKey(turn.id))
          .where("open", "=", 1)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 1n) {
          await touch(trx, turn);
          return true;
        }
        const ended = await trx
          .selectFrom("conduct_turns")
          .select("open")
          .where("turn", "=", nameKey(turn.id))
          .executeTakeFirst();
        if (ended === undefined) throw new Error(`there is no turn '${turn.id}'`);
        return false;
      });
    },
    async turn(id) {
      const seal = await keys.seal();
      const row = await db
        .selectFrom("conduct_turns")
        .select(["turn", "body"])
        .where("turn", "=", nameKey(id))
        .executeTakeFirst();
      return row === undefined ? undefined : turnOf(row, seal);
    },
    async turns({ conversation, before, limit }) {
      const seal = await keys.seal();
      const asked = db
        .selectFrom("conduct_turns")
        .select(["body", "at", "turn"])
        .where("conversation", "=", nameKey(conversation))
        .$if(before !== undefined, (some) => some.where("at", "<", before ?? 0))
        .orderBy("at", "desc")
        .orderBy("turn", "desc");
      const rows = await asked.limit(limit).execute();
      const last = rows.at(-1);
      const beside =
        last === undefined || rows.length < limit
          ? []
          : await asked.where("at", "=", last.at).where("turn", "<", last.turn).execute();
      return [...rows, ...beside].map(
        (row) => unlessDamaged(() => turnOf(row, seal)) ?? damagedTurn(conversation, row.turn, row.at),
      );
    },
    async openTurns() {
      const seal = await keys.seal();
      const rows = await db
        .selectFrom("conduct_turns")
        .select(["turn", "body"])
        .where("open", "=", 1)
        .orderBy("at")
        .orderBy("turn")
        .execute();
      // An unreadable turn cannot run and must not block the others.
      return rows.flatMap((row) => unlessDamaged(() => turnOf(row, seal)) ?? []);
    },
    async remove(id) {
      const conversation = nameKey(id);
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom("conduct_turns").where("conversation", "=", conversation).execute();
        await trx.deleteFrom("conduct_transcripts").where("conversation", "=", conversation).execute();
        await trx.deleteFrom("conduct_conversations").where("conversation", "=", conversation).execute();
      });
    },
  };
}

/** Replaces an unreadable transcript entry, so that later entries keep their places. */
const DAMAGED_ENTRY: JsonObject = { damaged: true };

/** A damaged row must not hide the others. */
function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoreError && error.code === "STORE_DAMAGED") return undefined;
    throw error;
  }
}

function damagedTurn(conversation: string, id: string, at: number): TurnRecord {
  const why = "This message and its answer are damaged in the store and cannot be shown.";
  return { id, conversation, text: "", at, status: "failed", why };
}

function conversationOf({ body, last_at }: { readonly body: string; readonly last_at: number }): Conversation {
  return { ...readBody<Conversation>(body, "A conversation"), lastAt: last_at };
}

function turnOf({ turn, body }: { readonly turn: string; readonly body: string }, seal: Seal): TurnRecord {
  return readBody<TurnRecord>(seal.open("conduct_turns.body", [turn], body), "A turn");
}

function stateOf(turn: TurnRecord, seal: Seal): { readonly open: number; readonly body: string } {
  const body = seal.close("conduct_turns.body", [nameKey(turn.id)], JSON.stringify(turn));
  return { open: turn.status === "queued" || turn.status === "running" ? 1 : 0, body };
}
