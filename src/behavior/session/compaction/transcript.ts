import type { TokenCounter } from "../../../base/ports/token-counter.ts";
import { renderSummary, type Summary } from "./summary.ts";

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
  const left = said.left === 0 ? "" : `\n(${said.left} more of their messages did not fit.)`;
  return [
    `[${drops.messages} earlier messages with ${describeCalls(drops)} were removed to fit the model's window. These notes replace them. They are a record, not a new message from the person. Call a tool again to get its result again.]`,
    renderSummary(summary),
    directives.length === 0
      ? ""
      : `Directives from these messages (your instructions list those in force):\n${directives.map((line) => `- ${line}`).join("\n")}`,
    said.words.length === 0 && said.left === 0
      ? ""
      : `The person's messages, verbatim, newest last:\n${said.words.map((text) => `> ${text.replaceAll("\n", "\n> ")}`).join("\n\n")}${left}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** For the person. */
export function renderReport({ before, after, drops, shortened, by }: CompactionReport): string {
  const parts: string[] = [];
  if (drops.messages > 0) {
    const messages = `${drops.messages} earlier ${drops.messages === 1 ? "message" : "messages"}`;
    const notes = by.kind === "model" ? "a summary" : "a list of messages, changes and failures";
    parts.push(`${messages} with ${describeCalls(drops)} were replaced by ${notes}`);
  }
  if (shortened > 0) parts.push(`${shortened} long ${shortened === 1 ? "result is" : "results are"} shown shortened`);
  const why = drops.messages > 0 && by.kind === "digest" ? ` A summary could not be created: ${by.why}.` : "";
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

/** Tokens that providers add to a message, and to a call or a result. */
const FRAME = 4;
const BLOCK = 8;

/** The largest image that providers do not scale down. */
const PICTURE = 1_600;

/** Tokens of a message as it is sent. */
export function countMessage(message: TranscriptMessage, counter: TokenCounter): number {
  const text = FRAME + counter.count(message.text);
  switch (message.kind) {
    case "system":
      return text;
    case "user":
      return text + message.images * PICTURE;
    case "result":
      return text + BLOCK + counter.count(message.tool) + message.images * PICTURE;
    case "assistant":
      return message.calls.reduce(
        (sum, { tool, args }) => sum + BLOCK + counter.count(tool) + counter.count(args),
        text,
      );
  }
}

/** Messages before `cut` that stay: `kept` before the note that replaces the others, `current` after it. */
export type Cut = {
  readonly cut: number;
  /** System messages and the person's first message, which is the task. */
  readonly kept: readonly number[];
  /** The person's last message, if it is before the cut, and system messages after it. */
  readonly current: readonly number[];
};

export const NO_CUT: Cut = { cut: 0, kept: [], current: [] };

/** The earliest safe cut after `last` that leaves at most `budget` tokens, else the last safe one; `undefined` if there is none. */
export function planCut(
  messages: readonly TranscriptMessage[],
  sizes: readonly number[],
  { last, budget }: { readonly last: Cut; readonly budget: number },
): Cut | undefined {
  const first = messages.findIndex(({ kind }) => kind === "user");
  const newest = messages.findLastIndex(({ kind }) => kind === "user");
  const safe = new Set(safeCuts(messages));
  const gone = last.cut - last.kept.length - last.current.length;
  let after = sizes.reduce((sum, size) => sum + size, 0);
  let pinned = 0;
  let pins = 0;
  let best: number | undefined;
  for (let cut = 1; cut < messages.length; cut++) {
    const size = sizes[cut - 1] ?? 0;
    after -= size;
    if (messages[cut - 1]?.kind === "system" || cut - 1 === first) {
      pinned += size;
      pins += 1;
    }
    if (cut <= last.cut || !safe.has(cut)) continue;
    const current = newest < cut && newest > first;
    if (cut - pins - (current ? 1 : 0) <= gone) continue;
    best = cut;
    if (pinned + after + (current ? (sizes[newest] ?? 0) : 0) <= budget) break;
  }
  return best === undefined ? undefined : cutAt(messages, best);
}

/** The messages that stay with a cut at this position. */
export function cutAt(messages: readonly TranscriptMessage[], cut: number): Cut {
  const first = messages.findIndex(({ kind }) => kind === "user");
  const newest = messages.findLastIndex(({ kind }) => kind === "user");
  const pins = messages.slice(0, cut).flatMap(({ kind }, at) => (kind === "system" || at === first ? [at] : []));
  if (newest >= cut || newest <= first) return { cut, kept: pins, current: [] };
  return { cut, kept: pins.filter((at) => at < newest), current: [newest, ...pins.filter((at) => at > newest)] };
}

/** Tokens of the messages that stay. */
export function standing({ cut, kept, current }: Cut, sizes: readonly number[]): number {
  const pinned = [...kept, ...current].reduce((sum, at) => sum + (sizes[at] ?? 0), 0);
  return sizes.slice(cut).reduce((sum, size) => sum + size, pinned);
}

/** Positions where a transcript can be cut without separating a call from its result, which providers reject. */
export function safeCuts(messages: readonly TranscriptMessage[]): readonly number[] {
  const calledAt = new Map<string, number>();
  const boundUntil = messages.map((_, at) => at);
  for (const [at, message] of messages.entries()) {
    if (message.kind === "assistant") for (const { id } of message.calls) calledAt.set(id, at);
    if (message.kind !== "result") continue;
    const from = calledAt.get(message.call);
    if (from !== undefined) boundUntil[from] = at;
  }
  const cuts: number[] = [0];
  let until = -1;
  for (let at = 0; at < messages.length; at++) {
    until = Math.max(until, boundUntil[at] ?? at);
    if (until === at) cuts.push(at + 1);
  }
  return cuts;
}

/** A call as the model made it; `args` is the JSON that is sent. */
type TranscriptCall = { readonly id: string; readonly tool: string; readonly args: string };

/** One message of a transcript, as it is sent to the model. The text of a system message has the tools' schemas in it. */
export type TranscriptMessage =
  | { readonly kind: "system"; readonly text: string }
  | { readonly kind: "user"; readonly text: string; readonly images: number }
  | { readonly kind: "assistant"; readonly text: string; readonly calls: readonly TranscriptCall[] }
  | {
      readonly kind: "result";
      readonly call: string;
      readonly tool: string;
      readonly text: string;
      readonly images: number;
      readonly failed: boolean;
    };

/** Dropped messages and calls. */
type Drops = { readonly messages: number; readonly calls: { readonly [tool: string]: number } };

/** The messages that a cut drops and `last` had not dropped. */
export function goneMessages(
  messages: readonly TranscriptMessage[],
  cut: Cut,
  last: Cut = NO_CUT,
): readonly TranscriptMessage[] {
  const stays = new Set([...cut.kept, ...cut.current]);
  const stood = new Set([...last.kept, ...last.current]);
  return messages.slice(0, cut.cut).filter((_, at) => !stays.has(at) && (at >= last.cut || stood.has(at)));
}

export function countDrops(gone: readonly TranscriptMessage[]): Drops {
  const calls = new Map<string, number>();
  for (const message of gone) {
    if (message.kind !== "assistant") continue;
    for (const { tool } of message.calls) calls.set(tool, (calls.get(tool) ?? 0) + 1);
  }
  return { messages: gone.length, calls: Object.fromEntries(calls) };
}

/** `12 calls (read_file 10, shell 2)`. */
export function describeCalls({ calls }: Drops): string {
  const tools = Object.entries(calls).toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const sum = tools.reduce((total, [, count]) => total + count, 0);
  const named = tools.map(([tool, count]) => `${tool} ${count}`).join(", ");
  return `${sum} ${sum === 1 ? "call" : "calls"}${sum === 0 ? "" : ` (${named})`}`;
}
