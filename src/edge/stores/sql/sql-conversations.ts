import type { ConversationsStore } from "../../../base/ports/conversations.ts";
import type { Conversation, TurnRecord } from "../../../base/words/conversation.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Write } from "./group-writes.ts";
import { keyOf, nameKey } from "./names.ts";
import { readBody } from "./read-body.ts";
import { isConflict, StoreError } from "./store-error.ts";
import type { SqlDatabase } from "./tables.ts";

/** Entries that one statement writes; both databases limit how many values a statement may have. */
const PART = 200;

/** Keeps conversations, their transcripts and turns in a database. */
export function sqlConversations(db: SqlDatabase, write: Write): ConversationsStore {
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
            entry: JSON.stringify(entry),
          }));
          for (let from = 0; from < rows.length; from += PART)
            await trx
              .insertInto("conduct_transcripts")
              .values(rows.slice(from, from + PART))
              .execute();
          return true;
        });
      } catch (error) {
        // Who wrote after the same entry before us has the key.
        if (isConflict(error)) return false;
        throw error;
      }
    },
    async transcript(id) {
      const rows = await db
        .selectFrom("conduct_transcripts")
        .select(["seq", "entry"])
        .where("conversation", "=", nameKey(id))
        .orderBy("seq")
        .execute();
      return rows.map(({ seq, entry }) => ({
        seq,
        entry: unlessDamaged(() => readBody<JsonObject>(entry, "A transcript")) ?? DAMAGED_ENTRY,
      }));
    },
    async addTurn(turn) {
      const { id, conversation, messageId } = turn;
      const message = messageId === undefined ? null : keyOf(conversation, messageId);
      // One commit for both: on a disk that is what it costs.
      return write(async (trx) => {
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("conduct_turns")
          .values({ turn: nameKey(id), conversation: nameKey(conversation), message, ...stateOf(turn), at: turn.at })
          .onConflict((conflict) => conflict.columns(["conversation", "message"]).doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows !== 1n && message !== null) {
          const same = await trx
            .selectFrom("conduct_turns")
            .select("body")
            .where("conversation", "=", nameKey(conversation))
            .where("message", "=", message)
            .executeTakeFirstOrThrow();
          return turnOf(same);
        }
        await touch(trx, turn);
        return turn;
      });
    },
    async updateTurn(turn) {
      await write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("conduct_turns")
          .set(stateOf(turn))
          .where("turn", "=", nameKey(turn.id))
          .executeTakeFirstOrThrow();
        if (numUpdatedRows !== 1n) throw new Error(`there is no turn '${turn.id}'`);
        await touch(trx, turn);
      });
    },
    async turn(id) {
      const row = await db
        .selectFrom("conduct_turns")
        .select("body")
        .where("turn", "=", nameKey(id))
        .executeTakeFirst();
      return row === undefined ? undefined : turnOf(row);
    },
    async turns({ conversation, before, limit }) {
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
        (row) => unlessDamaged(() => turnOf(row)) ?? damagedTurn(conversation, row.turn, row.at),
      );
    },
    async openTurns() {
      const rows = await db
        .selectFrom("conduct_turns")
        .select("body")
        .where("open", "=", 1)
        .orderBy("at")
        .orderBy("turn")
        .execute();
      // One that cannot be read cannot be run either, and keeps no other from it.
      return rows.flatMap((row) => unlessDamaged(() => turnOf(row)) ?? []);
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

/** Stands for an entry of a transcript that cannot be read, so that those after it keep their places. */
const DAMAGED_ENTRY: JsonObject = { damaged: true };

/** One row that is damaged takes no other with it. */
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

function turnOf({ body }: { readonly body: string }): TurnRecord {
  return readBody<TurnRecord>(body, "A turn");
}

function stateOf(turn: TurnRecord): { readonly open: number; readonly body: string } {
  return { open: turn.status === "queued" || turn.status === "running" ? 1 : 0, body: JSON.stringify(turn) };
}
