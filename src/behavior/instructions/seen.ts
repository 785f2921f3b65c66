import { hashJson } from "../../base/kernel/canonical-json.ts";
import { defineSlice } from "../../base/kernel/define-slice.ts";
import type { InstructionItem } from "../../base/words/hosting/instructions.ts";

/**
 * The ids of the items that the model has seen in this session, each with a hash of the text it saw: one that was changed
 * elsewhere since then has not been seen. So no version is needed.
 */
export type Seen = { readonly [id: string]: string };

/** STATE: what was seen after the point that is gone back to has not been seen. */
export const seenSlice = defineSlice<Seen>({ name: "seen-instructions", kind: "STATE", initial: {} });

/** The model was shown these of the items whole, in a prompt or by a tool. Items that are gone are forgotten. */
export function sawItems(seen: Seen, items: readonly InstructionItem[], shown: readonly string[]): Seen {
  const ids = new Set(shown);
  const entries = items.flatMap(({ id, text }) => {
    const known = ids.has(id) ? hashJson(text) : seenText(seen, id);
    return known === undefined ? [] : [[id, known] as const];
  });
  const same =
    entries.length === Object.keys(seen).length && entries.every(([id, hash]) => seenText(seen, id) === hash);
  return same ? seen : Object.fromEntries(entries);
}

/** Those of the items that the model has not seen as they are now. */
export function unseenItems(seen: Seen, items: readonly InstructionItem[]): readonly InstructionItem[] {
  return items.filter(({ id, text }) => seenText(seen, id) !== hashJson(text));
}

function seenText(seen: Seen, id: string): string | undefined {
  return Object.hasOwn(seen, id) ? seen[id] : undefined;
}
