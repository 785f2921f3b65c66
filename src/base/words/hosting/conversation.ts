import type { JsonObject } from "../json.ts";
import type { Sender } from "./channel.ts";

/** A session that the gateway hosts: who talks with which agent, and where. The id is the session's. */
export type Conversation = {
  readonly id: string;
  readonly agent: string;
  readonly user: string;
  readonly channel: string;
  /** Where the channel answers: a chat's id, a schedule's. */
  readonly address?: string;
  readonly at: number;
  readonly lastAt: number;
};

/** One entry of the transcript as the runtime has it; `seq` counts from 1 without gaps. */
export type TranscriptEntry = { readonly seq: number; readonly entry: JsonObject };

/** What became of a message. `interrupted`: the gateway ended in the middle of it; it is never run twice. */
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

/** One message and its answer. */
export type TurnRecord = {
  readonly id: string;
  readonly conversation: string;
  /** The sender's own id of the message: the same one twice is one turn. */
  readonly messageId?: string;
  readonly text: string;
  readonly sender?: Sender;
  /** Lines of the text, from 1, that the channel marks as a quotation or as code. */
  readonly quotedLines?: readonly number[];
  readonly at: number;
  readonly status: TurnStatus;
  readonly answer?: string;
  /** What went wrong, for the person. */
  readonly why?: string;
  readonly endedAt?: number;
};
