import { cutGraphemes } from "../../../base/kernel/text.ts";

/** The minimum length of a piece, as a share of the maximum. */
const LEAST_SHARE = 0.5;

/**
 * Splits a text into pieces of at most `most` UTF-16 units, between paragraphs, lines or words, never inside a
 * character. Code blocks are closed and reopened at a split.
 */
export function splitText(text: string, most: number): readonly string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  let fence = "";
  while (rest !== "") {
    const opened = fence === "" ? rest : `${fence}\n${rest}`;
    if (opened.length <= most) {
      pieces.push(opened);
      break;
    }
    // Leaves room to close a code block.
    const room = most - 5;
    const head = opened.slice(0, cutAt(opened, room));
    const open = openFence(head);
    pieces.push(open === "" ? head.trimEnd() : `${head.trimEnd()}\n${open.slice(0, 3)}`);
    rest = opened.slice(head.length).replace(/^\s*\n/, "");
    if (open === "") rest = rest.trimStart();
    fence = open;
  }
  return pieces;
}

function cutAt(text: string, room: number): number {
  const head = text.slice(0, room);
  const least = Math.floor(room * LEAST_SHARE);
  for (const between of ["\n\n", "\n", " "]) {
    const at = head.lastIndexOf(between);
    if (at >= least) return at;
  }
  return Math.max(1, cutGraphemes(text, room).length);
}

/** The opening line of a code block that is still open at the end. */
function openFence(text: string): string {
  let open = "";
  for (const line of text.split("\n")) {
    if (!line.startsWith("```")) continue;
    open = open === "" ? line.slice(0, 40) : "";
  }
  return open;
}
