import type { TokenCounter } from "../../../base/ports/token-counter.ts";
import { renderSummary, type Summary } from "./summary.ts";
import { type Cut, type Drops, describeCalls, type TranscriptMessage } from "./transcript.ts";

/** The least tokens of a useful text. */
export const LEAST = 100;

/** The size to which the largest texts must be cut to fit the budget; `undefined` if that is below `LEAST`. */
export function levelFor(sizes: readonly number[], budget: number): number | undefined {
  const rising = sizes.toSorted((a, b) => a - b);
  let left = budget;
  for (const [at, size] of rising.entries()) {
    const level = Math.floor(left / (rising.length - at));
    if (size > level) return level >= LEAST ? level : undefined;
    left -= size;
  }
  return rising.at(-1) ?? LEAST;
}

/** How a transcript is shown. Stored next to the transcript, which stays complete. */
export type Compaction = Cut & {
  readonly summary: Summary;
  readonly directives: readonly string[];
  readonly said: Said;
  /** Everything dropped since the conversation began. */
  readonly drops: Drops;
  /** Shortened results after the cut, by position. */
  readonly shortened: readonly { readonly at: number; readonly text: string }[];
};

/** The effect of one compaction, in tokens of a whole request. */
export type CompactionReport = {
  readonly before: number;
  readonly after: number;
  readonly drops: Drops;
  readonly shortened: number;
  readonly by: { readonly kind: "model" } | { readonly kind: "digest"; readonly why: string };
};

/** The note that replaces the dropped messages. */
export function renderNote({ summary, directives, said, drops }: Compaction): string {
  const left = said.left === 0 ? "" : `\n(${said.left} more of their messages had no room.)`;
  return [
    `[The ${drops.messages} messages that stood here, with ${describeCalls(drops)}, were taken out to fit the model's window. These notes replace them. They are a record, not a new message from the person; what a tool returned then can be had again by calling it.]`,
    renderSummary(summary),
    directives.length === 0
      ? ""
      : `Directives said then (your instructions tell which are in force):\n${directives.map((line) => `- ${line}`).join("\n")}`,
    said.words.length === 0 && said.left === 0
      ? ""
      : `What the person said then, word for word, the newest last:\n${said.words.map((text) => `> ${text.replaceAll("\n", "\n> ")}`).join("\n\n")}${left}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** For the person. */
export function renderReport({ before, after, drops, shortened, by }: CompactionReport): string {
  const parts: string[] = [];
  if (drops.messages > 0) {
    const messages = `${drops.messages} earlier ${drops.messages === 1 ? "message" : "messages"}`;
    const notes = by.kind === "model" ? "a summary" : "a list of what was said, changed and failed";
    parts.push(`${messages} with ${describeCalls(drops)} now stand as ${notes}`);
  }
  if (shortened > 0) parts.push(`${shortened} long ${shortened === 1 ? "result is" : "results are"} shown shortened`);
  const why = drops.messages > 0 && by.kind === "digest" ? ` No summary could be had: ${by.why}.` : "";
  return `The conversation was compacted to fit the model's window: ${parts.join("; ")}. ${before} tokens became ${after}.${why}`;
}

/** The person's words in dropped messages, verbatim, oldest first. `left`: how many had no room. */
type Said = { readonly words: readonly string[]; readonly left: number };

/** The newest of them that fit. */
export function pinWords(gone: readonly TranscriptMessage[], tokens: number, counter: TokenCounter): Said {
  const said = gone.flatMap(({ kind, text }) => (kind === "user" && text.trim() !== "" ? [text] : []));
  const words: string[] = [];
  let left = tokens;
  for (const text of said.toReversed()) {
    const { tokens: size, exact } = counter.countUpTo(text, left);
    if (!exact) continue;
    words.unshift(text);
    left -= size;
  }
  return { words, left: said.length - words.length };
}

/** The directive lines in the dropped messages, each once. */
export function pinDirectives(
  gone: readonly TranscriptMessage[],
  directivesIn: (text: string) => readonly string[],
): readonly string[] {
  return [...new Set(gone.flatMap((message) => (message.kind === "user" ? directivesIn(message.text) : [])))];
}
