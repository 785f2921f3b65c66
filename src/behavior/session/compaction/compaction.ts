import type { TokenCounter } from "../../../base/ports/token-counter.ts";
import { renderSummary, type Summary } from "./summary.ts";
import { type Cut, type Drops, describeCalls, type TranscriptMessage } from "./transcript.ts";

/** Fewer tokens than this tell nothing. */
export const LEAST = 100;

/**
 * To how many tokens the largest texts must be cut, so that all together take at most `budget`; the smaller ones stay as they are.
 * `undefined` when that would leave less than `LEAST` of one.
 */
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

/** How a transcript is shown from now on. It is kept beside the transcript, which itself stays whole. */
export type Compaction = Cut & {
  readonly summary: Summary;
  readonly directives: readonly string[];
  readonly said: Said;
  /** All that is gone since the conversation began. */
  readonly drops: Drops;
  /** Results after the cut that are shown shorter, by their places. */
  readonly shortened: readonly { readonly at: number; readonly text: string }[];
};

/** What one compaction did, for the person and the journal. Tokens are of a whole request. */
export type CompactionReport = {
  readonly before: number;
  readonly after: number;
  readonly drops: Drops;
  readonly shortened: number;
  readonly by: { readonly kind: "model" } | { readonly kind: "digest"; readonly why: string };
};

/** Stands in the place of the messages that are gone. */
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

/** For the person, beside the answer. */
export function renderReport({ before, after, drops, shortened, by }: CompactionReport): string {
  const gone =
    drops.messages === 0
      ? []
      : [
          `${drops.messages} earlier ${drops.messages === 1 ? "message" : "messages"} with ${describeCalls(drops)} now stand as ${by.kind === "model" ? "a summary" : "a list of what was said, changed and failed"}`,
        ];
  const cut =
    shortened === 0 ? [] : [`${shortened} long ${shortened === 1 ? "result is" : "results are"} shown shortened`];
  const why = drops.messages > 0 && by.kind === "digest" ? ` No summary could be had: ${by.why}.` : "";
  return `The conversation was compacted to fit the model's window: ${[...gone, ...cut].join("; ")}. ${before} tokens became ${after}.${why}`;
}

/** What the person said in messages that are gone, word for word, the oldest first; `left` had no room. */
type Said = { readonly words: readonly string[]; readonly left: number };

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
