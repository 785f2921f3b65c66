import { cutGraphemes } from "../../base/kernel/text.ts";
import type { InstructionItem, Instructions } from "../../base/words/hosting/instructions.ts";
import { showItem } from "./compare-items.ts";

const PROMPT_CHARS = 2_000;
const NOTICE = "(Instructions truncated at 2000 characters.)";

/** `text` is empty when there are none. `more` counts the items not wholly in it, `shown` names those that are. */
export type RenderedInstructions = {
  readonly text: string;
  readonly more: number;
  readonly shown: readonly string[];
};

/**
 * The instructions as a prompt holds them: quoted, one entry each. What counts towards the 2,000 characters is what the
 * user said. Cut between items, because half an instruction may say the opposite; within one only where it is the first.
 */
export function renderInstructions({ items }: Pick<Instructions, "items">): RenderedInstructions {
  const whole = fitting(items);
  const [first] = items;
  const more = items.length - whole.length;
  const part = first === undefined || whole.length > 0 ? [] : [{ text: cutGraphemes(first.text, PROMPT_CHARS) }];
  const entries = [...whole, ...part].map((item) => showItem(item));
  return {
    text: [...entries, ...(more === 0 ? [] : [NOTICE])].join("\n"),
    more,
    shown: whole.map(({ id }) => id),
  };
}

function fitting(items: readonly InstructionItem[]): readonly InstructionItem[] {
  let used = -1;
  const end = items.findIndex(({ text }) => {
    used += text.length + 1;
    return used > PROMPT_CHARS;
  });
  return end === -1 ? items : items.slice(0, end);
}
