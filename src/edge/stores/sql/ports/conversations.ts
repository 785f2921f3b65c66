import type { ConversationsStore } from "../../../../base/ports/stores/conversations.ts";
import type { Conversation, TurnRecord } from "../../../../base/words/hosting/conversation.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { Seal } from "../../seal/seal.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import { isConflict, StoreError } from "../store-error.ts";
import type { SqlDatabase } from "../tables.ts";
import type { Write } from "../transactions.ts";
import { chunks, didWrite, firstOf, keyOf, nameKey, readBody } from "../values.ts";

/** Stores conversations, transcripts and turns in a database. Their content is sealed. */
export function sqlConversations(db: SqlDatabase, write: Write, keys: Pick<StoreKeys, "seal">): ConversationsStore {
  const all = () => db.selectFrom("conduct_conversations").select(["body", "last_at"]);
  const turns = (from: SqlDatabase) => from.selectFrom("conduct_turns").select(["turn", "at", "body"]);

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
    read: (id) => firstOf(all().where("conversation", "=", nameKey(id)), conversationOf),
    at(channel, address) {
      const here = all().where("channel", "=", nameKey(channel)).where("address", "=", nameKey(address));
      return firstOf(here.orderBy("last_at", "desc").orderBy("conversation", "desc").limit(1), conversationOf);
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
      const rows = await withTies(limit, asked.limit(limit).execute(), ({ last_at, conversation }) =>
        asked.where("last_at", "=", last_at).where("conversation", "<", conversation).execute(),
      );
      return rows.flatMap((row) => unlessDamaged(() => conversationOf(row)) ?? []);
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
        const row = { turn: nameKey(id), conversation: nameKey(conversation), message, at: turn.at };
        const isNew = await didWrite(
          trx
            .insertInto("conduct_turns")
            .values({ ...row, ...stateOf(turn, seal) })
            .onConflict((conflict) => conflict.columns(["conversation", "message"]).doNothing()),
        );
        if (!isNew && message !== null) {
          const same = turns(trx).where("conversation", "=", row.conversation).where("message", "=", message);
          return turnOf(await same.executeTakeFirstOrThrow(), seal);
        }
        await touch(trx, turn);
        return turn;
      });
    },
    async updateTurn(turn) {
      const seal = await keys.seal();
      return write(async (trx) => {
        const own = trx.updateTable("conduct_turns").set(stateOf(turn, seal)).where("turn", "=", nameKey(turn.id));
        if (await didWrite(own.where("open", "=", 1))) {
          await touch(trx, turn);
          return true;
        }
        const ended = await turns(trx).where("turn", "=", nameKey(turn.id)).executeTakeFirst();
        if (ended === undefined) throw new Error(`there is no turn '${turn.id}'`);
        return false;
      });
    },
    async turn(id) {
      const seal = await keys.seal();
      return firstOf(turns(db).where("turn", "=", nameKey(id)), (row) => turnOf(row, seal));
    },
    async turns({ conversation, before, limit }) {
      const seal = await keys.seal();
      const asked = turns(db)
        .where("conversation", "=", nameKey(conversation))
        .$if(before !== undefined, (some) => some.where("at", "<", before ?? 0))
        .orderBy("at", "desc")
        .orderBy("turn", "desc");
      const rows = await withTies(limit, asked.limit(limit).execute(), ({ at, turn }) =>
        asked.where("at", "=", at).where("turn", "<", turn).execute(),
      );
      return rows.map((row) => unlessDamaged(() => turnOf(row, seal)) ?? damagedTurn(conversation, row.turn, row.at));
    },
    async openTurns() {
      const seal = await keys.seal();
      const rows = await turns(db).where("open", "=", 1).orderBy("at").orderBy("turn").execute();
      // An unreadable turn cannot run and must not block the others.
      return rows.flatMap((row) => unlessDamaged(() => turnOf(row, seal)) ?? []);
    },
    async remove(id) {
      const conversation = nameKey(id);
      await db.transaction().execute(async (trx) => {
        for (const table of ["conduct_turns", "conduct_transcripts", "conduct_conversations"] as const)
          await trx.deleteFrom(table).where("conversation", "=", conversation).execute();
      });
    },
  };
}

/** Adds the rows with the same time as the last one of a full page, so that paging by time misses none. */
async function withTies<R>(limit: number, page: Promise<R[]>, tiesOf: (last: R) => Promise<R[]>): Promise<R[]> {
  const rows = await page;
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? rows : [...rows, ...(await tiesOf(last))];
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
