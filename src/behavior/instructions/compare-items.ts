import { quoteForeign } from "../../base/kernel/foreign-text.ts";
import { cutGraphemes } from "../../base/kernel/text.ts";
import type { InstructionItem } from "../../base/words/hosting/instructions.ts";
import { listEntry } from "./split-items.ts";

/** What became of items, by id. `edited` holds each as it was and as it is. */
export type ItemsDiff = {
  readonly added: readonly InstructionItem[];
  readonly removed: readonly InstructionItem[];
  readonly edited: readonly { readonly from: InstructionItem; readonly to: InstructionItem }[];
};

/** What changed from one list to the other; order alone is no change. */
export function compareItems(before: readonly InstructionItem[], after: readonly InstructionItem[]): ItemsDiff {
  const old = new Map(before.map((item) => [item.id, item]));
  const ids = new Set(after.map(({ id }) => id));
  return {
    added: after.filter(({ id }) => !old.has(id)),
    removed: before.filter(({ id }) => !ids.has(id)),
    edited: after.flatMap((to) => {
      const from = old.get(to.id);
      return from === undefined || from.text === to.text ? [] : [{ from, to }];
    }),
  };
}

/** What changed, for a person or a model to read: `- ` what goes, `+ ` what comes. Empty when nothing did. */
export function renderDiff({ added, removed, edited }: ItemsDiff): string {
  const lines = [
    ...edited.flatMap(({ from, to }) => [showItem(from, "- "), showItem(to, "+ ")]),
    ...removed.map((item) => showItem(item, "- ")),
    ...added.map((item) => showItem(item, "+ ")),
  ];
  return lines.join("\n");
}

/** The texts that go and come; an edit is both. */
export function diffTexts({ added, removed, edited }: ItemsDiff): {
  readonly added: readonly string[];
  readonly removed: readonly string[];
} {
  return {
    added: [...edited.map(({ to }) => to.text), ...added.map(({ text }) => text)],
    removed: [...edited.map(({ from }) => from.text), ...removed.map(({ text }) => text)],
  };
}

/** One item, quoted, on its own lines; cut to `most` characters with an ellipsis. */
export function showItem({ text }: Pick<InstructionItem, "text">, marker = "- ", most = text.length): string {
  const cut = text.length > most ? `${cutGraphemes(text, most)}…` : text;
  return listEntry(quoteForeign(cut), marker);
}
