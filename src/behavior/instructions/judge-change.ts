import { hashJson } from "../../base/kernel/canonical-json.ts";
import { defineSlice } from "../../base/kernel/define-slice.ts";
import { quoteForeign } from "../../base/kernel/foreign-text.ts";
import { cutGraphemes } from "../../base/kernel/text.ts";
import type { InstructionItem, Instructions, MemoryNote } from "../../base/words/hosting/instructions.ts";
import { type ItemsDiff, showItem } from "./instruction-items.ts";

const MOST = 4_000;

/** As many whole notes as fit. `shown` counts them. */
export function renderNotes(notes: readonly MemoryNote[]): { readonly text: string; readonly shown: number } {
  const lines: string[] = [];
  let length = 0;
  for (const { text } of notes) {
    const line = `- ${quoteForeign(text.trim()).replaceAll("\n", "\n  ")}`;
    if (length + line.length + 1 > MOST) break;
    lines.push(line);
    length += line.length + 1;
  }
  return { text: lines.join("\n"), shown: lines.length };
}

const PROMPT_CHARS = 2_000;
const NOTICE = "(Instructions truncated at 2000 characters.)";

/** `more`: items not fully shown. `shown`: ids of those that are. */
type RenderedInstructions = { readonly text: string; readonly more: number; readonly shown: readonly string[] };

/** Quoted instructions within 2,000 characters. Cut between items, because half an instruction may say the opposite. */
export function renderInstructions({ items }: Pick<Instructions, "items">): RenderedInstructions {
  const whole = fitting(items);
  const [first] = items;
  const more = items.length - whole.length;
  const part = first === undefined || whole.length > 0 ? [] : [{ text: cutGraphemes(first.text, PROMPT_CHARS) }];
  const entries = [...whole, ...part].map((item) => showItem(item));
  if (more > 0) entries.push(NOTICE);
  return { text: entries.join("\n"), more, shown: whole.map(({ id }) => id) };
}

function fitting(items: readonly InstructionItem[]): readonly InstructionItem[] {
  let used = -1;
  const end = items.findIndex(({ text }) => {
    used += text.length + 1;
    return used > PROMPT_CHARS;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** The items that the model has seen in this session: id and hash of the text. */
export type Seen = { readonly [id: string]: string };
export const seenSlice = defineSlice<Seen>({ name: "seen-instructions", kind: "STATE", initial: {} });

/** Records that the model was shown these items in full. Removed items are forgotten. */
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

/** The items whose current text the model has not seen. */
export function unseenItems(seen: Seen, items: readonly InstructionItem[]): readonly InstructionItem[] {
  return items.filter(({ id, text }) => seenText(seen, id) !== hashJson(text));
}

function seenText(seen: Seen, id: string): string | undefined {
  return Object.hasOwn(seen, id) ? seen[id] : undefined;
}

/** Items that may be removed at once without confirmation. */
const MAX_VANISHING = 3;
const LISTED = 50;
const LISTED_CHARS = 200;

/**
 * Why the change is refused, and what to do. Text that the model has not seen is never dropped or overwritten; removing more
 * than three items needs the `confirm` value of this refusal.
 */
export function judgeChange(
  before: Pick<Instructions, "version">,
  { removed, edited }: Pick<ItemsDiff, "removed" | "edited">,
  { seen, confirm }: { readonly seen: Seen; readonly confirm?: string | undefined },
): string | undefined {
  const unseen = unseenItems(seen, [...removed, ...edited.map(({ from }) => from)]);
  if (unseen.length > 0) {
    return (
      `Nothing was changed: this would drop or overwrite ${count(unseen.length)} that you have not seen as ` +
      `${unseen.length === 1 ? "it is" : "they are"} now. ` +
      "Call read_memory first; then add, edit or remove single items, or write the full text again and include what should stay."
    );
  }
  if (removed.length <= MAX_VANISHING) return undefined;
  const needed = hashJson([before.version, removed.map(({ id }) => id).sort()]).slice(0, 8);
  if (confirm === needed) return undefined;
  const listed = removed.slice(0, LISTED).map((item) => showItem(item, "- ", LISTED_CHARS));
  const rest = removed.length > LISTED ? [`and ${removed.length - LISTED} more`] : [];
  return [
    `Nothing was changed: ${count(removed.length)} would be removed:`,
    ...listed,
    ...rest,
    `If the user wants exactly that, make the same call again with "confirm": "${needed}".`,
  ].join("\n");
}

function count(items: number): string {
  return items === 1 ? "1 instruction" : `${items} instructions`;
}
