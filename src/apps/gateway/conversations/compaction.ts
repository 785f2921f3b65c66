import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type { TokenCounter } from "../../../base/ports/token-counter.ts";
import { writeDirective } from "../../../behavior/contract/parse/directive-form.ts";
import { parseDirectives } from "../../../behavior/contract/parse/parse-directives.ts";
import { ToolResultTruncator } from "../../../behavior/results/truncator.ts";
import { fitSummary } from "../../../behavior/session/compaction/summary.ts";
import {
  type Compaction,
  type CompactionReport,
  countDrops,
  countMessage,
  goneMessages,
  LEAST,
  levelFor,
  NO_CUT,
  pinDirectives,
  pinWords,
  planCut,
  renderNote,
  standing,
  type TranscriptMessage,
} from "../../../behavior/session/compaction/transcript.ts";
import { type AskModel, summarise } from "./compaction-model.ts";
import { readMessage, showCompacted } from "./compaction-pi.ts";

/** Share of the window in use after a compaction. */
const LEFT = 0.5;
const SUMMARY = 0.125;
const WORDS = 0.125;
/** Maximum factor by which a provider's token count may exceed ours. */
const MOST_OFF = 1.5;

export type CompactionOptions = {
  readonly window: number;
  /** Tokens reserved for the answer. */
  readonly answer: number;
  readonly counter: TokenCounter;
  readonly last: Compaction | undefined;
  /** The prompt sent before the transcript. */
  readonly told: () => string;
  readonly ask: AskModel;
  /** Resolves when the compaction is durable. */
  readonly keep: (compaction: Compaction) => Promise<void>;
  readonly onCompacted: (report: CompactionReport) => void;
};

/** The conversation does not fit the model's window. The message is shown to the person. */
export class WindowError extends Error {}

const NOTHING: Compaction = {
  ...NO_CUT,
  summary: { goal: "", decisions: [], open: [], files: [], errors: [], left: 0 },
  directives: [],
  said: { words: [], left: 0 },
  drops: { messages: 0, calls: {} },
  shortened: [],
};

/**
 * Keeps requests within the model's window; the stored transcript stays complete. The head stays unchanged between
 * compactions, so provider caches hit.
 */
export class TranscriptCompaction {
  readonly #options: CompactionOptions;
  readonly #read = new WeakMap<AgentMessage, TranscriptMessage>();
  readonly #counted = new WeakMap<AgentMessage, number>();
  #last: Compaction;
  /** The last request: the number of messages and our token count. */
  #asked: { readonly messages: number; readonly tokens: number } | undefined;
  #off = 1;

  constructor(options: CompactionOptions) {
    this.#options = options;
    this.#last = options.last ?? NOTHING;
  }

  /** Returns the messages to send. Rejects with a `WindowError` if they cannot be made to fit. */
  async fit(messages: readonly AgentMessage[], signal?: AbortSignal): Promise<AgentMessage[]> {
    this.#compare(messages);
    const { window, answer } = this.#options;
    const room = Math.floor((window - Math.min(answer, Math.floor(window / 8))) / this.#off);
    const before = this.#count(messages, this.#last);
    if (before > room) await this.#compact(messages, before, room, signal);
    const tokens = before > room ? this.#count(messages, this.#last) : before;
    this.#asked = { messages: messages.length, tokens };
    return showCompacted(messages, this.#last, noteOf(this.#last));
  }

  async #compact(messages: readonly AgentMessage[], before: number, room: number, signal?: AbortSignal): Promise<void> {
    const { keep, onCompacted } = this.#options;
    const cut = await this.#cut(messages, room, signal);
    const next = this.#shorten(messages, cut.compaction, room);
    const after = this.#count(messages, next);
    if (after > room) throw new WindowError(tooLong(this.#sizes(messages, next), next, after, room));
    await keep(next);
    const drops = countDrops(goneMessages(this.#messages(messages), next, this.#last));
    const shortened = next.shortened.filter(
      ({ at, text }) => !this.#last.shortened.some((known) => known.at === at && known.text === text),
    ).length;
    this.#last = next;
    onCompacted({ before, after, drops, shortened, by: cut.by });
  }

  /** Cuts at the best place. Returns the same compaction if nothing more can be cut. */
  async #cut(
    messages: readonly AgentMessage[],
    room: number,
    signal?: AbortSignal,
  ): Promise<{ readonly compaction: Compaction; readonly by: CompactionReport["by"] }> {
    const { counter, ask } = this.#options;
    const last = this.#last;
    const read = this.#messages(messages);
    const left = Math.floor(room * (LEFT - SUMMARY - WORDS)) - this.#toldSize();
    const plan = planCut(read, this.#sizes(messages, last), { last, budget: left });
    if (plan === undefined) return { compaction: last, by: { kind: "model" } };
    const earlier = last.drops.messages === 0 ? undefined : last.summary;
    const options = { ask, counter, signal, tokens: room };
    const { summary, by } = await summarise(goneMessages(read, plan, last), earlier, options);
    const gone = goneMessages(read, plan);
    const compaction = {
      ...plan,
      summary: fitSummary(summary, Math.floor(room * SUMMARY), counter),
      directives: pinDirectives(gone, directivesIn),
      said: pinWords(gone, Math.floor(room * WORDS), counter),
      drops: countDrops(gone),
      shortened: last.shortened.filter(({ at }) => at >= plan.cut),
    };
    return { compaction, by };
  }

  /** Shortens the largest results if the transcript is still too long. */
  #shorten(messages: readonly AgentMessage[], compaction: Compaction, room: number): Compaction {
    const total = this.#count(messages, compaction);
    if (total <= room) return compaction;
    const { counter, window } = this.#options;
    const { cut } = compaction;
    const sizes = this.#sizes(messages, compaction);
    const results = this.#messages(messages).flatMap((message, at) =>
      message.kind === "result" && at >= cut ? [{ at, message, size: sizes[at] ?? 0 }] : [],
    );
    const others = total - results.reduce((sum, { size }) => sum + size, 0);
    const all = results.map(({ size }) => size);
    // Leaves some space, so that the next step does not compact again.
    const level = levelFor(all, Math.floor(room * 0.75) - others) ?? levelFor(all, room - others);
    if (level === undefined) return compaction;
    const truncator = new ToolResultTruncator({ maxTokens: window, maxShare: 1, counter });
    const shorter = results.flatMap(({ at, message, size }) => {
      if (size <= level) return [];
      const pictures = message.images === 0 ? "" : `[${message.images} pictures left out]\n`;
      const budget = Math.max(LEAST / 2, level - FRAME);
      return [{ at, text: truncator.truncate(pictures + message.text, message.tool, { budget }).text }];
    });
    const changed = new Set(shorter.map(({ at }) => at));
    return { ...compaction, shortened: [...compaction.shortened.filter(({ at }) => !changed.has(at)), ...shorter] };
  }

  #count(messages: readonly AgentMessage[], compaction: Compaction): number {
    const note = noteOf(compaction);
    const noted = note === "" ? 0 : this.#options.counter.count(note) + FRAME;
    return this.#toldSize() + noted + standing(compaction, this.#sizes(messages, compaction));
  }

  #toldSize(): number {
    return this.#options.counter.count(this.#options.told());
  }

  /** Counts only messages that are sent unchanged. */
  #sizes(messages: readonly AgentMessage[], { cut, kept, current, shortened }: Compaction): readonly number[] {
    const { counter } = this.#options;
    const pinned = new Set([...kept, ...current]);
    const sizes = messages.map((message, at) => (at < cut && !pinned.has(at) ? 0 : this.#sizeOf(message)));
    for (const { at, text } of shortened) {
      const message = messages[at];
      if (message === undefined) continue;
      const read = this.#look(message);
      if (read.kind === "result") sizes[at] = countMessage({ ...read, text, images: 0 }, counter);
    }
    return sizes;
  }

  #sizeOf(message: AgentMessage): number {
    // Not remembered: most conversations never need the text again, and it is as long as the message.
    const size = this.#counted.get(message) ?? countMessage(readMessage(message), this.#options.counter);
    this.#counted.set(message, size);
    return size;
  }

  #messages(messages: readonly AgentMessage[]): readonly TranscriptMessage[] {
    return messages.map((message) => this.#look(message));
  }

  #look(message: AgentMessage): TranscriptMessage {
    const read = this.#read.get(message) ?? readMessage(message);
    this.#read.set(message, read);
    return read;
  }

  /** Uses the provider's count to learn how far ours is too low. */
  #compare(messages: readonly AgentMessage[]): void {
    const answer = this.#asked === undefined ? undefined : messages[this.#asked.messages];
    if (this.#asked === undefined || answer?.role !== "assistant") return;
    const { input, cacheRead, cacheWrite } = answer.usage;
    const ratio = (input + cacheRead + cacheWrite) / Math.max(1, this.#asked.tokens);
    if (Number.isFinite(ratio)) this.#off = Math.min(MOST_OFF, Math.max(1, ratio));
  }
}

/** Maximum overhead of a message in addition to its text. */
const FRAME = 24;

function noteOf(compaction: Compaction): string {
  return compaction.drops.messages === 0 ? "" : renderNote(compaction);
}

function directivesIn(text: string): readonly string[] {
  return parseDirectives(text).directives.map(writeDirective);
}

function tooLong(sizes: readonly number[], { cut }: Compaction, needs: number, room: number): string {
  const step = sizes.slice(cut).reduce((sum, size) => sum + size, 0);
  return `This conversation no longer fits the model's window: after compaction it still needs ${needs} tokens (${step} for its last step), and the limit is ${room}. Start a new conversation, send smaller messages, or give the agent a model with a larger window.`;
}
