import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../base/ports/stores/memory.ts";
import type {
  InstructionItem,
  ToldInstructions,
  ToldMemory,
  UserAgent,
} from "../../base/words/hosting/instructions.ts";
import { renderInstructions } from "../../behavior/instructions/render-instructions.ts";
import { renderNotes } from "../../behavior/instructions/render-notes.ts";
import { type LimitFault, withinLimit } from "./within-limit.ts";

/** A user's instructions as the prompt has them, with what the model then has seen of them. */
export type ReadInstructions = {
  readonly told: ToldInstructions;
  readonly items?: readonly InstructionItem[];
  /** Ids of those that are wholly shown. */
  readonly shown?: readonly string[];
  readonly fault?: LimitFault;
};

/** How many notes are looked at for a preloaded digest. */
const PRELOAD = 50;

/** A read that fails gives the last known instructions, and never "none". */
export async function readInstructions(
  store: InstructionsStore,
  owner: UserAgent,
  last: ReadInstructions | undefined,
  limitMs: number,
): Promise<ReadInstructions> {
  // What the store gives is rendered within the limit too: an answer that is none has not been read.
  const read = await withinLimit(limitMs, async (): Promise<ReadInstructions> => {
    const { items } = await store.read(owner);
    const { text, more, shown } = renderInstructions({ items });
    return { told: { kind: "current", text, more }, items, shown };
  });
  if ("value" in read) return read.value;
  if (last === undefined || last.told.kind === "unreadable") return { told: { kind: "unreadable" }, fault: read.fault };
  return { ...last, told: { ...last.told, kind: "stale" }, fault: read.fault };
}

/** The newest notes, as far as a prompt has room for them. */
export async function readMemory(
  store: MemoryStore,
  owner: UserAgent,
  limitMs: number,
): Promise<{ readonly told: ToldMemory; readonly fault?: LimitFault }> {
  const read = await withinLimit(limitMs, async (): Promise<ToldMemory> => {
    const { notes, total } = await store.search(owner, { limit: PRELOAD });
    const { text, shown } = renderNotes(notes);
    return { kind: "preload", text, more: total - shown };
  });
  return "value" in read ? { told: read.value } : { told: { kind: "unreadable" }, fault: read.fault };
}
