import type { InstructionsStore } from "../../base/ports/instructions.ts";
import type { InstructionItem, Instructions, UserAgent } from "../../base/words/instructions.ts";
import { changeItems, replaceItems } from "../../behavior/instructions/change-items.ts";
import { compareItems, type ItemsDiff } from "../../behavior/instructions/compare-items.ts";
import type { UpdateRequest } from "./update-request.ts";

/** What a request would make of the instructions as they are now. Nothing is written. */
export type UpdatePlan = {
  readonly before: Instructions;
  readonly items: readonly InstructionItem[];
  readonly diff: ItemsDiff;
  readonly change: Exclude<Instructions["change"], "none">;
  /** Were to be added and are there already. */
  readonly known: readonly InstructionItem[];
};

/** Rejects only when the store does. */
export async function planUpdate(
  request: UpdateRequest,
  store: InstructionsStore,
  owner: UserAgent,
  nextId: () => string,
): Promise<UpdatePlan | { readonly fault: string }> {
  const before = await store.read(owner);
  const changed = await change(request, before, store, owner, nextId);
  if ("fault" in changed) return changed;
  const { items, known } = changed;
  const diff = compareItems(before.items, items);
  return { before, items, diff, known, change: kindOf(request, items) };
}

async function change(
  request: UpdateRequest,
  before: Instructions,
  store: InstructionsStore,
  owner: UserAgent,
  nextId: () => string,
) {
  switch (request.kind) {
    case "replace":
      return replaceItems(before.items, request.text, nextId);
    case "items":
      return changeItems(before.items, request, nextId);
    case "undo": {
      if (before.version === 0) return { fault: "There is nothing to undo: instructions were never set." };
      if (before.version === 1) return { items: [], known: [] };
      const older = await store.version(owner, before.version - 1);
      if (older === undefined)
        return { fault: `Version ${before.version - 1} is not kept any more, so this cannot be undone.` };
      return { items: older.items, known: [] };
    }
  }
}

function kindOf(request: UpdateRequest, items: readonly InstructionItem[]): UpdatePlan["change"] {
  if (request.kind === "undo") return "undo";
  if (request.kind === "replace") return items.length === 0 ? "clear" : "replace";
  const { add, edit, remove } = request;
  if (edit.length === 0 && remove.length === 0) return "add";
  return add.length === 0 && edit.length === 0 ? "remove" : "edit";
}
