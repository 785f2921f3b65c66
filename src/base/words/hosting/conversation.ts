import type { JsonObject } from "../json.ts";
import type { Sender } from "./channel.ts";

/** A hosted session: the user, the agent and the channel. The id is the session's. */
export type Conversation = {
  readonly id: string;
  readonly agent: string;
  readonly user: string;
  readonly channel: string;
  /** Reply address in the channel: a chat's id, a schedule's id. */
  readonly address?: string;
  readonly at: number;
  readonly lastAt: number;
};

/** One transcript entry in the runtime's format; `seq` counts from 1 without gaps. */
export type TranscriptEntry = { readonly seq: number; readonly entry: JsonObject };

/** State of a message. `interrupted`: the gateway ended while processing it; it is never run twice. */
export type TurnStatus =
  | "queued"
  | "running"
  | "complete"
  | "incomplete"
  | "bypassed"
  | "answered"
  | "ended-by-policy"
  | "failed"
  | "cancelled"
  | "interrupted";

export type TurnRecord = {
  readonly id: string;
  readonly conversation: string;
  /** The sender's id of the message, for deduplication: the same id is one turn. */
  readonly messageId?: string;
  readonly text: string;
  readonly sender?: Sender;
  /** Lines of the text, from 1, that the channel marks as quotation or code. */
  readonly quotedLines?: readonly number[];
  readonly at: number;
  readonly status: TurnStatus;
  readonly answer?: string;
  readonly why?: string;
  /** Notes and debug lines for the person. Only for a caller that waits for the turn; never stored. */
  readonly notes?: readonly string[];
  readonly endedAt?: number;
};
