import { quoteForeign } from "../../base/kernel/foreign-text.ts";
import { cutGraphemes, wellFormed } from "../../base/kernel/text.ts";
import type { InstructionItem } from "../../base/words/hosting/instructions.ts";

const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/;
const MARKER = /^(?:[-*+•]|\d{1,3}[.)])(?:\s+|$)/;
const FENCE = /^\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(`{3,}|~{3,})[^`]*$/;

/** A row of dashes and similar. */
const SEPARATOR = /^[-*_+=•\s]*$/;

/** Notices in prompts that a model may copy. */
const NOTICES: readonly string[] = ["(No custom instructions set.)", "(Instructions truncated at 2000 characters.)"];

/** One item for each line or list entry, without its marker. Indented lines and code blocks belong to the item above. */
export function splitItems(text: string): readonly string[] {
  const lines = dedent(
    wellFormed(text)
      .split(LINE_END)
      .map((line) => line.trimEnd()),
  );
  const fences = new Fences(lines);
  const items: string[][] = [];
  for (let at = 0; at < lines.length; ) {
    const block = lines.slice(at, fences.endOf(at));
    at += block.length;
    const [line = ""] = block;
    const last = items.at(-1);
    const belongs = last !== undefined && (/^\s/.test(line) || (block.length > 1 && !MARKER.test(line)));
    if (belongs) last.push(...block);
    else if (line !== "") items.push([line.replace(MARKER, ""), ...block.slice(1)]);
  }
  return items.map(joinItem).filter((item) => !SEPARATOR.test(item) && !NOTICES.includes(item));
}

/** The item as a list entry; `splitItems` is the inverse. */
export function listEntry(item: string, marker = "- "): string {
  return marker + item.replaceAll(/\n(?!\n|$)/g, "\n  ");
}

/** After an empty marker the item begins on the next line. */
function joinItem(lines: readonly string[]): string {
  const from = Math.max(
    0,
    lines.findIndex((line) => line !== ""),
  );
  const first = (lines[from] ?? "").trimStart();
  return [first, ...dedent(lines.slice(from + 1))].join("\n").trim();
}

function dedent(lines: readonly string[]): readonly string[] {
  let least = Number.POSITIVE_INFINITY;
  for (const line of lines) if (line !== "") least = Math.min(least, line.length - line.trimStart().length);
  return least === 0 ? lines : lines.map((line) => line.slice(least));
}

/** Finds the ends of code blocks. An unclosed fence is an ordinary line. */
class Fences {
  readonly #lines: readonly string[];
  /** By kind, the shortest fence known to be unclosed, so that the search stays linear. */
  readonly #open = new Map<string, number>();

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** The line after the block that begins here. */
  endOf(at: number): number {
    const marks = FENCE.exec(this.#lines[at] ?? "")?.[1] ?? "";
    const kind = marks.charAt(0);
    if (marks === "" || marks.length >= (this.#open.get(kind) ?? Number.POSITIVE_INFINITY)) return at + 1;
    for (let end = at + 1; end < this.#lines.length; end++) {
      const line = (this.#lines[end] ?? "").trim();
      if (line.startsWith(marks) && line === kind.repeat(line.length)) return end + 1;
    }
    this.#open.set(kind, marks.length);
    return at + 1;
  }
}

export type ItemsDiff = {
  readonly added: readonly InstructionItem[];
  readonly removed: readonly InstructionItem[];
  readonly edited: readonly { readonly from: InstructionItem; readonly to: InstructionItem }[];
};

/** Compares lists of items by id; order does not count. */
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

/** The diff as `- ` and `+ ` lines. */
export function renderDiff({ added, removed, edited }: ItemsDiff): string {
  const lines = [
    ...edited.flatMap(({ from, to }) => [showItem(from, "- "), showItem(to, "+ ")]),
    ...removed.map((item) => showItem(item, "- ")),
    ...added.map((item) => showItem(item, "+ ")),
  ];
  return lines.join("\n");
}

/** The removed and added texts; an edit is both. */
export function diffTexts({ added, removed, edited }: ItemsDiff): {
  readonly added: readonly string[];
  readonly removed: readonly string[];
} {
  return {
    added: [...edited.map(({ to }) => to.text), ...added.map(({ text }) => text)],
    removed: [...edited.map(({ from }) => from.text), ...removed.map(({ text }) => text)],
  };
}

/** One quoted item on its own lines, cut to `most` characters. */
export function showItem({ text }: Pick<InstructionItem, "text">, marker = "- ", most = text.length): string {
  const cut = text.length > most ? `${cutGraphemes(text, most)}…` : text;
  return listEntry(quoteForeign(cut), marker);
}
