import { wellFormed } from "../../base/kernel/text.ts";
import type { SectionTold } from "../../base/ports/stores/event-journal.ts";

type Use = { readonly session: string; readonly hash: string; readonly at: number };

/** Texts of sections in this process, each once; a text goes with the last session that was told it. */
export function memorySections() {
  const texts = new Map<string, string>();
  const uses = new Map<string, Use>();
  return {
    keep(told: readonly SectionTold[]): void {
      for (const { session, at, hash, text } of told) {
        if (!texts.has(hash)) texts.set(hash, wellFormed(text).replaceAll("\0", "\ufffd"));
        uses.set(JSON.stringify([session, hash]), { session, hash, at });
      }
    },
    read(hashes: readonly string[]): ReadonlyMap<string, string> {
      return new Map(
        hashes.flatMap((hash) => {
          const text = texts.get(hash);
          return text === undefined ? [] : [[hash, text] as const];
        }),
      );
    },
    drop(isGone: (use: Use) => boolean): void {
      for (const [key, use] of uses) if (isGone(use)) uses.delete(key);
      const left = new Set([...uses.values()].map(({ hash }) => hash));
      for (const hash of texts.keys()) if (!left.has(hash)) texts.delete(hash);
    },
  };
}
