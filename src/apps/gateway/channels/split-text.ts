import { cutGraphemes } from "../../../base/kernel/text.ts";

/** The shortest piece that a better place to cut may leave. */
const LEAST_SHARE = 0.5;

/**
 * A text in pieces of at most `most` UTF-16 units, cut between paragraphs, else lines, else words, never inside a character. A
 * block of code that a cut goes through is closed before it and opened again after it.
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
    // Room for closing what is open.
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

/** The line that opened the block of code which is still open at the end. */
function openFence(text: string): string {
  let open = "";
  for (const line of text.split("\n")) {
    if (!line.startsWith("```")) continue;
    open = open === "" ? line.slice(0, 40) : "";
  }
  return open;
}
