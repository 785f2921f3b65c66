import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { TranscriptMessage } from "./message.ts";

/** What the person said in messages that are gone, word for word, the oldest first; `left` had no room. */
export type Said = { readonly words: readonly string[]; readonly left: number };

/** The newest words of the person that fit in so many tokens. */
export function pinWords(gone: readonly TranscriptMessage[], tokens: number, counter: TokenCounter): Said {
  const said = gone.flatMap(({ kind, text }) => (kind === "user" && text.trim() !== "" ? [text] : []));
  const words: string[] = [];
  let room = tokens;
  for (const text of said.toReversed()) {
    const { tokens: size, exact } = counter.countUpTo(text, room);
    if (!exact) continue;
    words.unshift(text);
    room -= size;
  }
  return { words, left: said.length - words.length };
}

/** The lines of the gone messages that state a directive, each once, in order. */
export function pinDirectives(
  gone: readonly TranscriptMessage[],
  directivesIn: (text: string) => readonly string[],
): readonly string[] {
  return [...new Set(gone.flatMap((message) => (message.kind === "user" ? directivesIn(message.text) : [])))];
}
