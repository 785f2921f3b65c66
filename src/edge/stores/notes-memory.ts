import { wellFormed } from "../../base/kernel/text.ts";
import type { MemoryQuery, NotesStore } from "../../base/ports/stores/memory.ts";
import type { MemoryNote, UserAgent } from "../../base/words/hosting/instructions.ts";
import { queryWords, wordsOf } from "./notes-words.ts";

type Kept = { readonly note: MemoryNote; readonly order: number; readonly words: readonly string[] };
type Scored = { readonly kept: Kept; readonly score: number };

/** Keeps notes in this process. */
export function memoryNotes(): NotesStore {
  const owners = new Map<string, Map<string, Kept>>();
  let saved = 0;

  return {
    async save(owner, { id, text, at }) {
      const own = owners.get(ownerKey(owner)) ?? new Map<string, Kept>();
      owners.set(ownerKey(owner), own);
      const whole = wellFormed(text);
      const known = own.get(whole);
      if (known !== undefined) return { id: known.note.id, known: true };
      const note = Object.freeze({ id, text: whole, at });
      own.set(whole, { note, order: saved++, words: [...new Set(wordsOf(whole))] });
      return { id, known: false };
    },
    async remove(owner, id) {
      const own = owners.get(ownerKey(owner));
      const found = [...(own ?? [])].find(([, { note }]) => note.id === id);
      return found !== undefined && own?.delete(found[0]) === true;
    },
    async search(owner, query) {
      const found = rank([...(owners.get(ownerKey(owner))?.values() ?? [])], query);
      const { limit, offset = 0 } = query;
      return { notes: found.slice(offset, offset + limit).map(({ kept }) => kept.note), total: found.length };
    },
  };
}

function rank(notes: readonly Kept[], { text }: MemoryQuery): readonly Scored[] {
  const scored = text === undefined ? notes.map((kept) => ({ kept, score: 0 })) : match(notes, text);
  return scored.sort((a, b) => b.score - a.score || b.kept.note.at - a.kept.note.at || b.kept.order - a.kept.order);
}

/** Notes in which a word begins with one of those looked for; each counts the more the fewer notes have it. */
function match(notes: readonly Kept[], text: string): Scored[] {
  const scores = new Map<Kept, number>();
  for (const word of queryWords(text)) {
    const having = notes.filter(({ words }) => words.some((one) => one.startsWith(word)));
    const weight = Math.log(1 + notes.length / Math.max(1, having.length));
    for (const kept of having) scores.set(kept, (scores.get(kept) ?? 0) + weight);
  }
  return [...scores].map(([kept, score]) => ({ kept, score }));
}

/** JSON, because a name may hold whatever character would be used between the two. */
function ownerKey({ user, agent }: UserAgent): string {
  return JSON.stringify([user, agent]);
}
