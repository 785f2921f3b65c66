import { isObject } from "../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../base/words/json.ts";
import type { ItemChanges, ItemEdit } from "../../behavior/instructions/change-items.ts";
import { knownArgs } from "./tool-text.ts";

/** What a call of update_instructions asks for. */
export type UpdateRequest = { readonly confirm?: string } & (
  | { readonly kind: "replace"; readonly text: string }
  | ({ readonly kind: "items" } & ItemChanges)
  | { readonly kind: "undo" }
);

type Fault = { readonly fault: string };

/** The arguments as a request, or what is wrong with them. Empty lists and `undo: false` say nothing. */
export function readUpdate(args: JsonObject): UpdateRequest | Fault {
  const names = ["instructions", "add", "edit", "remove", "undo", "confirm"];
  const known = knownArgs("update_instructions", args, names);
  if ("fault" in known) return { fault: `${known.fault} They are always those of this session's user.` };
  const { instructions, add = [], edit = [], remove = [], undo = false, confirm = "" } = known.given;
  if (instructions !== undefined && typeof instructions !== "string")
    return { fault: "`instructions` must be a text." };
  if (!isTexts(add)) return { fault: "`add` must be a list of texts." };
  if (!isEdits(edit)) return { fault: "`edit` must be a list of {id, text}." };
  if (!isTexts(remove)) return { fault: "`remove` must be a list of ids." };
  if (typeof undo !== "boolean") return { fault: "`undo` must be true, or be left out." };
  if (typeof confirm !== "string") return { fault: "`confirm` must be the text that a refusal gave." };
  const items = add.length + edit.length + remove.length > 0;
  const kinds = [instructions !== undefined, items, undo].filter(Boolean).length;
  if (kinds !== 1) {
    const what = kinds === 0 ? "This asks for nothing" : "This asks for several things at once";
    return { fault: `${what}: give either \`instructions\`, or \`add\`, \`edit\` and \`remove\`, or \`undo\`.` };
  }
  const confirmed = confirm === "" ? {} : { confirm };
  if (instructions !== undefined) return { kind: "replace", text: instructions, ...confirmed };
  return undo ? { kind: "undo", ...confirmed } : { kind: "items", add, edit, remove, ...confirmed };
}

function isTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isEdits(value: Json): value is readonly ItemEdit[] {
  return Array.isArray(value) && value.every(isEdit);
}

function isEdit(value: Json): value is ItemEdit {
  return isObject(value) && typeof value.id === "string" && typeof value.text === "string";
}
