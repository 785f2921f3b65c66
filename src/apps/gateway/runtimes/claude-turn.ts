import { isObject } from "../../../base/kernel/json.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { StreamMessage } from "../../../edge/adapters/claude/observe.ts";
import type { HostedEnd, TurnOptions } from "./hosted.ts";

/** Causes of a failed model request, by the client's error message. The first match is used. */
const TROUBLES: readonly { readonly says: RegExp; readonly means: string }[] = [
  { says: /^40[13]\b|unauthori[sz]ed|invalid.{0,9}(?:api.?)?key/i, means: "the model's provider rejects the key" },
  {
    says: /insufficient_quota|billing|credit balance/i,
    means: "the account at the model's provider has no credit left",
  },
  { says: /^404\b/, means: "the model's provider does not know this model" },
  { says: /^413\b|prompt is too long|context.?length/i, means: "the conversation is too long for the model" },
  { says: /retry delay/i, means: "the model's provider asks for a long wait" },
  { says: /^429\b|rate.?limit|too many requests/i, means: "the model's provider says there are too many requests" },
  { says: /^529\b|overloaded/i, means: "the model's provider is overloaded" },
  { says: /^5\d\d\b/, means: "the model's provider has an internal error" },
  { says: /parse|JSON|unexpected token|malformed/i, means: "the model's provider sent an unreadable response" },
  {
    says: /ended (?:before|without)|terminated|socket|premature|other side closed|connection.{0,20} lost/i,
    means: "the model's provider broke off during the answer",
  },
  {
    says: /connection|fetch failed|ECONN|ENOTFOUND|EAI_AGAIN|timed? ?out/i,
    means: "the model's provider cannot be reached",
  },
];

/** Returns one sentence for the person: the cause, and the client's message in short. */
export function modelTrouble(said: string): string {
  const text = cutGraphemes(said.trim().replaceAll(/\s+/g, " "), 160);
  const known = TROUBLES.find(({ says }) => says.test(said));
  if (known === undefined) return text === "" ? "the model's request failed" : `the model's request failed: ${text}`;
  return `${known.means} (${text})`;
}

/**
 * Ends a turn if the model is silent for too long. The timer is off while tools run or wait for approval; then the
 * runtime's tool timeout applies.
 */
export class ClaudeSilence {
  readonly #running = new Set<string>();
  readonly #idleMs: number;
  readonly #end: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(idleMs: number, end: () => void) {
    this.#idleMs = idleMs;
    this.#end = end;
    this.#expect();
  }

  /** True if the silence ended the turn. */
  get isOver(): boolean {
    return this.#isOver;
  }

  take({ message }: ClaudeMessage): void {
    for (const block of blocksOf(message)) {
      if (block.type === "tool_use") this.#running.add(String(block.id));
      if (block.type === "tool_result") this.#running.delete(String(block.tool_use_id));
    }
    clearTimeout(this.#timer);
    if (this.#running.size === 0) this.#expect();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #expect(): void {
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#end();
    }, this.#idleMs);
  }
}

function blocksOf(message: unknown): readonly { readonly [name: string]: unknown }[] {
  const content = isObject(message) ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** The fields of an SDK stream message that a turn uses. */
export type ClaudeMessage = StreamMessage & {
  readonly subtype?: string;
  readonly session_id?: string;
  /** Set on messages of a subagent. */
  readonly parent_tool_use_id?: string | null;
  readonly event?: { readonly type: string; readonly delta?: { readonly type: string; readonly text?: string } };
  readonly content?: unknown;
  /** The provider's own message, with its role and blocks. */
  readonly message?: unknown;
  readonly result?: string;
  readonly is_error?: boolean;
  readonly num_turns?: number;
  readonly errors?: readonly string[];
};

/** Prefix that the SDK adds to the client's error message. */
const WRAPPED = /^Claude Code returned an error result: (?:API Error: )?/;

/** Collects a turn from the SDK's stream. */
export class ClaudeTurn {
  readonly #turn: TurnOptions;
  readonly #notes: string[] = [];
  #text = "";
  #result: ClaudeMessage | undefined;

  constructor(turn: TurnOptions) {
    this.#turn = turn;
  }

  take(message: ClaudeMessage): void {
    if (message.type === "result") this.#result = message;
    if (message.type === "system" && message.subtype === "informational" && typeof message.content === "string")
      this.#notes.push(message.content);
    if (message.type !== "stream_event" || typeof message.parent_tool_use_id === "string") return;
    // Each model response starts again; the last one is the answer.
    if (message.event?.type === "message_start") this.#text = "";
    const { delta } = message.event ?? {};
    if (delta?.type !== "text_delta" || delta.text === undefined) return;
    this.#text += delta.text;
    this.#turn.onText(delta.text);
  }

  /** `seen`: how Conduct saw the turn end. */
  end(seen: Pick<HostedEnd, "status" | "why"> | undefined): HostedEnd {
    const result = this.#result;
    if (this.#turn.signal.aborted || result === undefined) return this.failed("the runtime ended without a result");
    const text = result.result ?? this.#text;
    if (result.num_turns === 0 && result.is_error !== true)
      return { status: "answered", text, notes: this.#notes.filter((note) => note !== text) };
    if (seen?.status === "ended-by-policy") return { ...seen, text: this.#text, notes: this.#notes };
    if (result.is_error === true || result.subtype !== "success")
      return this.failed(result.errors?.join("; ") || text || (result.subtype ?? ""));
    if (text.trim() === "")
      return { status: "failed", text, why: "the model gave an empty answer", notes: this.#notes };
    return { status: "complete", ...seen, text, notes: this.#notes };
  }

  /** `why` must be readable for the person. */
  silent(why: string): HostedEnd {
    return { status: "failed", text: this.#text, why, notes: this.#notes };
  }

  /** The person still gets the text received before the failure. */
  failed(why: string): HostedEnd {
    if (this.#turn.signal.aborted) return { status: "cancelled", text: this.#text, notes: this.#notes };
    return { status: "failed", text: this.#text, why: modelTrouble(why.replace(WRAPPED, "")), notes: this.#notes };
  }
}
