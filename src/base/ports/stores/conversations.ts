import type { Conversation, TranscriptEntry, TurnRecord } from "../../words/hosting/conversation.ts";
import type { JsonObject } from "../../words/json.ts";

export type ConversationQuery = {
  readonly user?: string;
  readonly agent?: string;
  readonly channel?: string;
  /** Only conversations whose newest turn is older than this time. */
  readonly before?: number;
  readonly limit: number;
};

/**
 * Stores conversations, their transcripts and turns. Writes are durable before they resolve. Rejects if the store
 * fails.
 */
export type ConversationsStore = {
  create(conversation: Conversation): Promise<void>;
  read(id: string): Promise<Conversation | undefined>;
  /** The conversation at this address of a channel; the newest if there are several. */
  at(channel: string, address: string): Promise<Conversation | undefined>;
  /**
   * Newest first. Returns more than `limit` if the last ones have the same time, so paging with `before` misses none.
   */
  list(query: ConversationQuery): Promise<readonly Conversation[]>;
  /**
   * Appends entries after `after`. Returns false and writes nothing if that is not the last entry. An append that comes
   * `soon` may wait a moment for another write, and is never stored after a write that was asked for later.
   */
  append(conversation: string, after: number, entries: readonly JsonObject[], when?: "now" | "soon"): Promise<boolean>;
  transcript(conversation: string): Promise<readonly TranscriptEntry[]>;
  /** Returns the stored turn. If its `messageId` exists already, returns that turn and adds nothing. */
  addTurn(turn: TurnRecord): Promise<TurnRecord>;
  /**
   * Replaces the turn with this id. The end of a turn that took more than a minute updates the conversation's `lastAt`.
   * Returns false and writes nothing if the turn has ended: its outcome never changes.
   */
  updateTurn(turn: TurnRecord): Promise<boolean>;
  turn(id: string): Promise<TurnRecord | undefined>;
  /** Newest first; more than `limit` if the last ones have the same time. */
  turns(query: {
    readonly conversation: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly TurnRecord[]>;
  /** Every queued or running turn, or those of one conversation, in the order in which they were added. */
  openTurns(conversation?: string): Promise<readonly TurnRecord[]>;
  /** Deletes a conversation with its transcript and turns. */
  remove(id: string): Promise<void>;
};
