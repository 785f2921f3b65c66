import type { Seal } from "../seal/seal.ts";
import { noteIndex } from "./note-index.ts";
import type { SqlDatabase, SqlKind } from "./tables.ts";

/** Makes the index of notes' words anew, in the transaction given, and gives how many notes there are. Notes are few. */
export async function rebuildNotes(trx: SqlDatabase, kind: SqlKind, seal: Seal): Promise<number> {
  const index = noteIndex(kind, seal);
  await index.clear(trx);
  const notes = await trx.selectFrom("conduct_notes").select(["seq", "owner", "text_hash", "text"]).execute();
  for (const { seq, owner, text_hash: hash, text } of notes)
    await index.fill(trx, seq, owner, seal.open("conduct_notes.text", [owner, hash], text));
  return notes.length;
}
