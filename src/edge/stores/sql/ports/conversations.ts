import { sql } from "kysely";
import type { ConversationsStore } from "../../../../base/ports/stores/conversations.ts";
import type { Conversation, TurnRecord } from "../../../../base/words/hosting/conversation.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { Seal } from "../../seal/seal.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import type { SqliteReader } from "../dialects/sqlite-reader.ts";
import { adding, appending, SAME_TIME_MS, updating } from "../dialects/sqlite-turns.ts";
import type { SqliteWriter } from "../dialects/sqlite-writer.ts";
import { isConflict, StoreError } from "../store-error.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { writeAlone } from "../transactions.ts";
import { chunks, didWrite, firstOf, keyOf, nameKey, readBody } from "../values.ts";
import { checkFence, type Fences, noFences } from "./hosting/fences.ts";

/** Stores conversations, transcripts and turns in a database. Their content is sealed. */
export function sqlConversations(
  db: SqlDatabase,
  kind: SqlKind,
  keys: Pick<StoreKeys, "seal">,
  { write: direct, read: reader }: { readonly write?: SqliteWriter; readonly read?: SqliteReader } = {},
  fences: Fences = noFences(),
): ConversationsStore {
  const write = writeAlone(db);
  const all = () => db.selectFrom("conduct_conversations").select(["body", "last_at"]);
  const turns = (from: SqlDatabase) => from.selectFrom("conduct_turns").select(["turn", "at", "body"]);

  async function touch(trx: SqlDatabase, conversation: string, at: number, ifBefore: number): Promise<void> {
    await trx
      .updateTable("conduct_conversations")
      .set({ last_at: at })
      .where("conversation", "=", conversation)
      .where("last_at", "<", ifBefore)
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
      if (reader === undefined) return firstOf(all().where("conversation", "=", nameKey(id)), conversationOf);
      const [row] = await reader("select body, last_at from conduct_conversations where conversation = ?", nameKey(id));
      return row && conversationOf({ body: String(row.body), last_at: Number(row.last_at) });
    },
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
    async append(id, after, entries, when) {
      const conversation = nameKey(id);
      const seal = await keys.seal();
      const sealed = entries.map((entry, at) =>
        seal.close("conduct_transcripts.entry", [conversation, after + at + 1], JSON.stringify(entry)),
      );
      if (direct !== undefined) return direct(appending(conversation, after, sealed), when);
      try {
        return await write(async (trx) => {
          await checkFence(trx, fences, id);
          const last = await trx
            .selectFrom("conduct_transcripts")
            .select("seq")
            .where("conversation", "=", conversation)
            .orderBy("seq", "desc")
            .limit(1)
            .executeTakeFirst();
          if ((last?.seq ?? 0) !== after) return false;
          const rows = sealed.map((entry, at) => ({ conversation, seq: after + at + 1, entry }));
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
      const { conversation, messageId } = turn;
      const message = messageId === undefined ? null : keyOf(conversation, messageId);
      const seal = await keys.seal();
      const row = rowOf(turn, message, seal);
      if (direct !== undefined) {
        const same = await direct(adding(row));
        return same === undefined ? turn : turnOf(same, seal);
      }
      // One commit for both, because commits are the cost.
      return write(async (trx) => {
        const isNew = await didWrite(
          trx
            .insertInto("conduct_turns")
            .values(row)
            .onConflict((conflict) =>
              conflict.columns(["conversation", "message"]).where("message", "is not", null).doNothing(),
            ),
        );
        if (!isNew && message !== null) {
          const same = turns(trx).where("conversation", "=", row.conversation).where("message", "=", message);
          return turnOf(await same.executeTakeFirstOrThrow(), seal);
        }
        await touch(trx, row.conversation, turn.at, turn.at);
        return turn;
      });
    },
    async updateTurn(turn) {
      const { id, at, endedAt = at } = turn;
      const row = rowOf(turn, null, await keys.seal());
      if (direct !== undefined) {
        const found = await direct(updating(row, endedAt));
        if (found === "missing") throw new Error(`there is no turn '${id}'`);
        return found === "updated";
      }
      return write(async (trx) => {
        await checkFence(trx, fences, turn.conversation);
        const { open, body } = row;
        const own = trx.updateTable("conduct_turns").set({ open, body }).where("turn", "=", row.turn);
        if (await didWrite(own.where("open", "=", 1))) {
          if (open === 0) await touch(trx, row.conversation, endedAt, endedAt - SAME_TIME_MS);
          return true;
        }
        const ended = await turns(trx).where("turn", "=", row.turn).executeTakeFirst();
        if (ended === undefined) throw new Error(`there is no turn '${id}'`);
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
    async openTurns(conversation) {
      const seal = await keys.seal();
      const open = turns(db)
        .where("open", "=", 1)
        .$if(conversation !== undefined, (some) => some.where("conversation", "=", nameKey(conversation ?? "")));
      // The clocks of replicas differ, so a shared store orders turns by their arrival.
      const rows = await (kind === "postgres"
        ? open.orderBy(sql`position`)
        : open.orderBy("at").orderBy("turn")
      ).execute();
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

function rowOf(turn: TurnRecord, message: string | null, seal: Seal) {
  const [id, conversation, open] = [nameKey(turn.id), nameKey(turn.conversation), isOpen(turn) ? 1 : 0];
  const body = seal.close("conduct_turns.body", [id], JSON.stringify(turn));
  return { turn: id, conversation, message, at: turn.at, open, body };
}

function isOpen({ status }: TurnRecord): boolean {
  return status === "queued" || status === "running";
}
