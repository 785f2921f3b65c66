import { quoteForeign } from "../../base/kernel/foreign-text.ts";
import { cutGraphemes } from "../../base/kernel/text.ts";
import type { InstructionItem, Instructions, MemoryNote } from "../../base/words/hosting/instructions.ts";
import { showItem } from "./instruction-items.ts";

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
