import { cutGraphemes } from "../../base/kernel/text.ts";
import type { InstructionItem } from "../../base/words/hosting/instructions.ts";
import { showItem, splitItems } from "./instruction-items.ts";

const MAX_ITEMS = 200;
const MAX_ITEM_CHARS = 2_000;

function textFault(text: string): string | undefined {
  // Allows for markers and indentation.
  if (text.length > MAX_ITEMS * MAX_ITEM_CHARS * 1.2) return `The text has ${text.length} characters; ${TOO_MUCH}`;
  return text.includes("\0") ? "The text contains a NUL character. Remove it." : undefined;
}

/** Why these texts, making `total` items, are too long or too many. */
function itemsFault(texts: readonly string[], total = texts.length): string | undefined {
  const long = texts.find((text) => text.length > MAX_ITEM_CHARS);
  if (long !== undefined) {
    const start = JSON.stringify(`${cutGraphemes(long, 40)}…`);
    return `The instruction ${start} has ${long.length} characters; the limit is ${MAX_ITEM_CHARS}. Split or shorten it.`;
  }
  return total > MAX_ITEMS ? `That would make ${total} instructions; ${TOO_MUCH}` : undefined;
}

const TOO_MUCH = `at most ${MAX_ITEMS} instructions of ${MAX_ITEM_CHARS} characters can be stored. Merge or remove some first.`;

type Items = readonly InstructionItem[];
type NextId = () => string;

export type ItemEdit = { readonly id: string; readonly text: string };
export type ItemChanges = {
  readonly add: readonly string[];
  readonly edit: readonly ItemEdit[];
  readonly remove: readonly string[];
};

/** The new items, or why not. `known`: items to be added that exist already. */
export type Changed = { readonly items: Items; readonly known: Items } | { readonly fault: string };

/** Replaces all items by the text; unchanged items keep their id. */
export function replaceItems(before: Items, text: string, nextId: NextId): Changed {
  const wrong = textFault(text);
  if (wrong !== undefined) return { fault: wrong };
  const texts = splitItems(text).map((item) => withoutId(before, item));
  const fault = itemsFault(texts);
  if (fault !== undefined) return { fault };
  const stored = new Map(before.map((item) => [sayingKey(item.text), item]));
  const items = new Map<string, InstructionItem>();
  for (const item of texts) {
    const key = sayingKey(item);
    if (items.has(key)) continue;
    const old = stored.get(key);
    items.set(key, old === undefined ? { id: nextId(), text: item } : { id: old.id, text: unquoted(old.text, item) });
  }
  return { items: [...items.values()], known: [] };
}

/** Removes, edits and adds items, in this order; existing items are not added again. */
export function changeItems(before: Items, { add, edit, remove }: ItemChanges, nextId: NextId): Changed {
  const fault = [...add, ...edit.map(({ text }) => text)].map(textFault).find(Boolean) ?? idFault(before, edit, remove);
  if (fault !== undefined) return { fault };
  const edited = editItems(
    before.filter(({ id }) => !remove.includes(id)),
    edit,
  );
  if ("fault" in edited) return edited;
  const added = add.flatMap(splitItems).map((item) => withoutId(before, item));
  return addItems(edited.items, added, nextId);
}

function editItems(before: Items, edits: readonly ItemEdit[]): Changed {
  const texts = new Map<string, string>();
  for (const { id, text } of edits) {
    const [item, ...more] = splitItems(text);
    if (item === undefined)
      return { fault: `The new text of '${id}' is empty. Write a text, or remove the instruction.` };
    if (more.length > 0)
      return { fault: `The new text of '${id}' has several items. Keep one here and add the others separately.` };
    texts.set(id, item);
  }
  const items = before.map(({ id, text }) => ({ id, text: unquoted(text, texts.get(id) ?? text) }));
  const keys = new Map<string, string>();
  for (const { id, text } of items) {
    const other = keys.get(sayingKey(text));
    if (other !== undefined && (texts.has(id) || texts.has(other))) {
      return { fault: `'${id}' would duplicate '${other}'. Remove one of them instead.` };
    }
    keys.set(sayingKey(text), id);
  }
  const fault = itemsFault([...texts.values()]);
  return fault === undefined ? { items, known: [] } : { fault };
}

function addItems(before: Items, texts: readonly string[], nextId: NextId): Changed {
  const fault = itemsFault(texts);
  if (fault !== undefined) return { fault };
  const items = new Map(before.map((item) => [sayingKey(item.text), item]));
  const known: InstructionItem[] = [];
  for (const text of texts) {
    const there = items.get(sayingKey(text));
    if (there === undefined) items.set(sayingKey(text), { id: nextId(), text });
    else known.push(there);
  }
  // Stored duplicates stay; only new items are compared.
  const stored = new Set(before.map(({ id }) => id));
  const added = [...items.values()].filter(({ id }) => !stored.has(id));
  const all = [...before, ...added];
  const tooMany = itemsFault([], all.length);
  return tooMany === undefined || added.length === 0 ? { items: all, known } : { fault: tooMany };
}

function idFault(before: Items, edit: readonly ItemEdit[], remove: readonly string[]): string | undefined {
  const ids = [...edit.map(({ id }) => id), ...remove];
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) return `'${shown(twice)}' is changed twice. Name each instruction once.`;
  const stored = new Set(before.map(({ id }) => id));
  const unknown = ids.find((id) => !stored.has(id));
  return unknown === undefined
    ? undefined
    : `Unknown instruction id '${shown(unknown)}'. Call read_memory to see the ids.`;
}

function shown(id: string): string {
  return id.slice(0, 40).toWellFormed();
}

/** Removes an id that a model copied from read_memory. */
function withoutId(before: Items, item: string): string {
  const [whole = "", id] = /^\[([^\]\s]{1,80})\]\s+/.exec(item) ?? [];
  return before.some((one) => one.id === id) ? item.slice(whole.length) : item;
}

/** Items with the same key look the same in a prompt. */
function sayingKey(text: string): string {
  return itemKey(shownForm(text));
}

/** The item as a model would copy it from a prompt, where items are quoted. */
function shownForm(text: string): string {
  return splitItems(showItem({ text })).join("\n");
}

/** The stored text if the given one is only a copy of how it is shown. */
function unquoted(stored: string, given: string): string {
  return given === shownForm(stored) ? stored : given;
}

/** Ignores case, white space, quotes and closing punctuation. */
function itemKey(text: string): string {
  const plain = text.normalize("NFC").toLowerCase().replace(/[‘’]/g, "'").replace(/[“”„]/g, '"');
  const words = plain.split(/\s+/).join(" ").trim();
  return words.replace(/[ .!;,]{1,20}$/, "") || words;
}
