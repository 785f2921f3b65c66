import { cutGraphemes } from "../../base/kernel/text.ts";
import type { InstructionItem } from "../../base/words/hosting/instructions.ts";
import { showItem } from "./compare-items.ts";
import { splitItems } from "./split-items.ts";

const MAX_ITEMS = 200;
const MAX_ITEM_CHARS = 2_000;

/** Why a text cannot become items; checked before anything is looked for in it. */
function textFault(text: string): string | undefined {
  // With room for markers and indentation.
  if (text.length > MAX_ITEMS * MAX_ITEM_CHARS * 1.2) return `The text has ${text.length} characters; ${TOO_MUCH}`;
  return text.includes("\0") ? "The text has a NUL character in it; leave that out." : undefined;
}

/** Why these texts cannot be kept, `total` items with them, if they cannot. They are never cut to fit. */
function itemsFault(texts: readonly string[], total = texts.length): string | undefined {
  const long = texts.find((text) => text.length > MAX_ITEM_CHARS);
  if (long !== undefined) {
    const start = JSON.stringify(`${cutGraphemes(long, 40)}…`);
    return `The instruction ${start} has ${long.length} characters, and one may have ${MAX_ITEM_CHARS}: split it, or say it shorter.`;
  }
  return total > MAX_ITEMS ? `That would make ${total} instructions; ${TOO_MUCH}` : undefined;
}

const TOO_MUCH = `at most ${MAX_ITEMS} of ${MAX_ITEM_CHARS} characters are kept: merge or remove some first.`;

type Items = readonly InstructionItem[];
type NextId = () => string;

export type ItemEdit = { readonly id: string; readonly text: string };
export type ItemChanges = {
  readonly add: readonly string[];
  readonly edit: readonly ItemEdit[];
  readonly remove: readonly string[];
};

/** The items as they would be, or why they cannot be. `known`: those that were to be added and are there already. */
export type Changed = { readonly items: Items; readonly known: Items } | { readonly fault: string };

/** The text takes the place of all items; what it says as before keeps its id. */
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

/** Items removed, edited and added, in this order; what is there already is not added again. */
export function changeItems(before: Items, { add, edit, remove }: ItemChanges, nextId: NextId): Changed {
  const fault = [...add, ...edit.map(({ text }) => text)].map(textFault).find(Boolean) ?? idFault(before, edit, remove);
  if (fault !== undefined) return { fault };
  const gone = new Set(remove);
  const left = before.filter(({ id }) => !gone.has(id));
  const edited = editItems(left, edit);
  if ("fault" in edited) return edited;
  return addItems(
    edited.items,
    add.flatMap(splitItems).map((item) => withoutId(before, item)),
    nextId,
  );
}

function editItems(before: Items, edits: readonly ItemEdit[]): Changed {
  const texts = new Map<string, string>();
  for (const { id, text } of edits) {
    const [item, ...more] = splitItems(text);
    if (item === undefined) return { fault: `The new text of '${id}' is empty: give one, or remove the instruction.` };
    if (more.length > 0) return { fault: `The new text of '${id}' has several items: give one, and add the others.` };
    texts.set(id, item);
  }
  const items = before.map(({ id, text }) => ({ id, text: unquoted(text, texts.get(id) ?? text) }));
  const keys = new Map<string, string>();
  for (const { id, text } of items) {
    const other = keys.get(sayingKey(text));
    if (other !== undefined && (texts.has(id) || texts.has(other))) {
      return { fault: `'${id}' would then say the same as '${other}': remove one of them instead.` };
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
  // Of stored items that say the same each stays: only what comes new is compared.
  const stored = new Set(before.map(({ id }) => id));
  const added = [...items.values()].filter(({ id }) => !stored.has(id));
  const all = [...before, ...added];
  const tooMany = itemsFault([], all.length);
  return tooMany === undefined || added.length === 0 ? { items: all, known } : { fault: tooMany };
}

function idFault(before: Items, edit: readonly ItemEdit[], remove: readonly string[]): string | undefined {
  const ids = [...edit.map(({ id }) => id), ...remove];
  const twice = repeatedIn(ids);
  if (twice !== undefined) return `'${shown(twice)}' is to be changed twice: name each instruction once.`;
  const stored = new Set(before.map(({ id }) => id));
  const unknown = ids.find((id) => !stored.has(id));
  return unknown === undefined
    ? undefined
    : `There is no instruction with the id '${shown(unknown)}': read_memory gives those that there are.`;
}

function repeatedIn(ids: readonly string[]): string | undefined {
  const met = new Set<string>();
  return ids.find((id) => met.size === met.add(id).size);
}

function shown(id: string): string {
  return id.slice(0, 40).toWellFormed();
}

/** read_memory shows ids before items; a model may copy them. */
function withoutId(before: Items, item: string): string {
  const [whole = "", id] = /^\[([^\]\s]{1,80})\]\s+/.exec(item) ?? [];
  return before.some((one) => one.id === id) ? item.slice(whole.length) : item;
}

/** Items with the same key say the same to whoever reads the prompt: there they could not be told apart. */
function sayingKey(text: string): string {
  return itemKey(shownForm(text));
}

/** What a model copies from a prompt: there items stand quoted. */
function shownForm(text: string): string {
  return splitItems(showItem({ text })).join("\n");
}

/** The text as given, unless it only copies how the stored one is shown: then the stored one. */
function unquoted(stored: string, given: string): string {
  return given === shownForm(stored) ? stored : given;
}

/** Items with the same key say the same: case, white space, quotes and closing punctuation aside. */
function itemKey(text: string): string {
  const plain = text.normalize("NFC").toLowerCase().replace(/[‘’]/g, "'").replace(/[“”„]/g, '"');
  const words = plain.split(/\s+/).join(" ").trim();
  return words.replace(/[ .!;,]{1,20}$/, "") || words;
}
