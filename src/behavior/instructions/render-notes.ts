import { quoteForeign } from "../../base/kernel/foreign-text.ts";
import type { MemoryNote } from "../../base/words/hosting/instructions.ts";

/** Characters that preloaded notes may take in a prompt. */
const MOST = 4_000;

/** Notes as a preloaded digest, whole ones only, as many as there is room for. `shown` counts them. */
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
