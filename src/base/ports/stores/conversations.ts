import type { Conversation, TranscriptEntry, TurnRecord } from "../../words/hosting/conversation.ts";
import type { JsonObject } from "../../words/json.ts";

export type ConversationQuery = {
  readonly user?: string;
  readonly agent?: string;
  readonly channel?: string;
  /** Those whose newest turn is older than this time. */
  readonly before?: number;
  readonly limit: number;
};

/** Keeps conversations, their transcripts and turns. Everything is durable before it resolves; rejects when it cannot tell. */
export type ConversationsStore = {
  create(conversation: Conversation): Promise<void>;
  read(id: string): Promise<Conversation | undefined>;
  /** The one on this channel at this address, the newest where there are several. */
  at(channel: string, address: string): Promise<Conversation | undefined>;
  /** The newest first; more than `limit` where the last ones have the same time, so that who goes on before it misses none. */
  list(query: ConversationQuery): Promise<readonly Conversation[]>;
  /** Entries come after `after`; false, and nothing written, when the transcript's last is another. */
  append(conversation: string, after: number, entries: readonly JsonObject[]): Promise<boolean>;
  transcript(conversation: string): Promise<readonly TranscriptEntry[]>;
  /** Gives the turn as it is kept: with a `messageId` that is there already, the one that was there, and nothing is added. */
  addTurn(turn: TurnRecord): Promise<TurnRecord>;
  /**
   * Replaces the turn with this id; the conversation's `lastAt` follows. False, and nothing written, when that turn is over
   * already: how a turn ended never changes.
   */
  updateTurn(turn: TurnRecord): Promise<boolean>;
  turn(id: string): Promise<TurnRecord | undefined>;
  /** The newest first; more than `limit` where the last ones have the same time. */
  turns(query: {
    readonly conversation: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly TurnRecord[]>;
  /** Every turn that is queued or running, the oldest first: what a restart finds. */
  openTurns(): Promise<readonly TurnRecord[]>;
  /** Takes out a conversation with all that belongs to it. */
  remove(id: string): Promise<void>;
};
