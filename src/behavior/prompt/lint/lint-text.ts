/** A text of a contributor; `own` where Conduct wrote it. */
export type ToldText = { readonly id: string; readonly text: string; readonly own: boolean };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The text without its code blocks: what stands in them is an example, not an instruction. Lines stay where they are. */
export function proseOf(text: string): string {
  let fence: string | undefined;
  return text
    .split("\n")
    .map((line) => {
      const [, mark] = FENCE.exec(line) ?? [];
      if (fence !== undefined) {
        if (mark?.startsWith(fence)) fence = undefined;
        return "";
      }
      fence = mark;
      return mark === undefined ? line : "";
    })
    .join("\n");
}

/** Sentences and list items, as they stand in the text. Headings are none. */
export function sentencesOf(text: string): readonly string[] {
  return proseOf(text)
    .split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)]) )|\n(?=#)/)
    .filter((block) => !/^\s*#{1,6} /.test(block))
    .flatMap((block) => block.replace(/^\s*(?:[-*+]|\d+[.)]) /, "").split(/(?<=[.!?])\s+|\n/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}
