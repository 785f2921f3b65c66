import type { NotesStore } from "../../../../base/ports/stores/memory.ts";
import type { MemoryNote } from "../../../../base/words/hosting/instructions.ts";
import type { Seal } from "../../seal/seal.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import { type NoteHit, noteHash, noteIndex, wordsSought } from "../search/note-index.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { chunks, keepable, ownerOf } from "../values.ts";

const COLUMNS = ["owner", "text_hash", "id", "text", "at"] as const;

/** Stores notes in a database, sealed. They are found by an index of keyed hashes. */
export function sqlNotes(db: SqlDatabase, kind: SqlKind, keys: Pick<StoreKeys, "seal">): NotesStore {
  const notesOf = (owner: string) => db.selectFrom("conduct_notes").where("owner", "=", owner);

  async function count(owner: string): Promise<number> {
    const { notes } = await notesOf(owner)
      .select((select) => select.fn.countAll<number>().as("notes"))
      .executeTakeFirstOrThrow();
    return notes;
  }

  async function rank(seal: Seal, owner: string, text: string): Promise<readonly NoteHit[]> {
    const index = noteIndex(kind, seal);
    const [total, words] = [await count(owner), wordsSought(text)];
    const scores = new Map<number, NoteHit & { readonly score: number }>();
    for (const word of words) {
      const having = await index.find(db, owner, word);
      // A word counts more the fewer notes contain it.
      const weight = Math.log(1 + total / Math.max(1, having.length));
      for (const { seq, at } of having) scores.set(seq, { seq, at, score: (scores.get(seq)?.score ?? 0) + weight });
    }
    return [...scores.values()].sort((a, b) => b.score - a.score || b.at - a.at || b.seq - a.seq);
  }

  async function fetchInOrder(seal: Seal, seqs: readonly number[]): Promise<readonly MemoryNote[]> {
    const found = new Map<number, MemoryNote>();
    for (const some of chunks(seqs)) {
      const rows = await db
        .selectFrom("conduct_notes")
        .select(["seq", ...COLUMNS])
        .where("seq", "in", some)
        .execute();
      for (const row of rows) found.set(row.seq, noteOf(row, seal));
    }
    return seqs.flatMap((seq) => found.get(seq) ?? []);
  }

  return {
    async save(owner, { id, text, at }) {
      const named = ownerOf(owner);
      const whole = keepable(text, "The note");
      const seal = await keys.seal();
      const index = noteIndex(kind, seal);
      const text_hash = noteHash(seal, whole);
      return db.transaction().execute(async (trx) => {
        const added = await trx
          .insertInto("conduct_notes")
          .values({
            ...named,
            text_hash,
            id: keepable(id, "The note's id"),
            text: seal.close("conduct_notes.text", [named.owner, text_hash], whole),
            at,
            ...index.columns(named.owner, whole),
          })
          .onConflict((conflict) => conflict.columns(["owner", "text_hash"]).doNothing())
          .returning("seq")
          .executeTakeFirst();
        if (added !== undefined) {
          await index.add(trx, added.seq, named.owner, whole);
          return { id, known: false };
        }
        const known = await trx
          .selectFrom("conduct_notes")
          .select("id")
          .where("owner", "=", named.owner)
          .where("text_hash", "=", text_hash)
          .executeTakeFirstOrThrow();
        return { id: known.id, known: true };
      });
    },
    async remove(owner, id) {
      const index = noteIndex(kind, await keys.seal());
      return db.transaction().execute(async (trx) => {
        const gone = await trx
          .deleteFrom("conduct_notes")
          .where("owner", "=", ownerOf(owner).owner)
          .where("id", "=", id)
          .returning("seq")
          .execute();
        for (const { seq } of gone) await index.remove(trx, seq);
        return gone.length > 0;
      });
    },
    async search(owner, { text, limit, offset = 0 }) {
      const { owner: key } = ownerOf(owner);
      const seal = await keys.seal();
      if (text !== undefined) {
        const found = await rank(seal, key, text);
        const page = found.slice(offset, offset + limit).map(({ seq }) => seq);
        return { notes: await fetchInOrder(seal, page), total: found.length };
      }
      const rows = await notesOf(key)
        .select(COLUMNS)
        .orderBy("at", "desc")
        .orderBy("seq", "desc")
        .limit(limit)
        .offset(offset)
        .execute();
      return { notes: rows.map((row) => noteOf(row, seal)), total: await count(key) };
    },
  };
}

type NoteRow = { readonly owner: string; readonly text_hash: string } & MemoryNote;

function noteOf({ owner, text_hash, id, text, at }: NoteRow, seal: Seal): MemoryNote {
  return { id, text: seal.open("conduct_notes.text", [owner, text_hash], text), at };
}
