import type { UserMessage } from "@earendil-works/pi-ai";

/** Stands where a message of modes only was: Pi asks the model all the same, and the words of modes are not for it. */
export const MODES_ONLY = "(The user has changed how you work. There is nothing to answer; go on with what is open.)";

/** The content without the first characters of its text; pictures, and the blocks of the rest, stay as they are. */
export function withoutStart(content: UserMessage["content"], length: number): UserMessage["content"] {
  if (typeof content === "string") return content.slice(length);
  let left = length;
  return content.flatMap((block) => {
    if (block.type !== "text" || left === 0) return [block];
    const cut = Math.min(left, block.text.length);
    // The text of a message is that of its blocks, a line each.
    left = Math.max(0, left - block.text.length - 1);
    const text = block.text.slice(cut);
    return text === "" ? [] : [{ ...block, text }];
  });
}
