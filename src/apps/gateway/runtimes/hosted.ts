import type { Commands } from "../../../base/ports/commands.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";
import type { TurnStatus } from "../../../base/words/hosting/conversation.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Session } from "../../../engine/moments/session.ts";
import type { IncomingMessage } from "../../../engine/moments/session-options.ts";
import type { Approvals } from "../agents/approvals.ts";

/** A message as its channel knows it. */
export type HostedMessage = {
  readonly text: string;
  readonly messageId?: string;
  readonly sender?: Sender;
  /** Lines, from 1, that the channel marks as a quotation or as code. */
  readonly quotedLines?: readonly number[];
};

/** How a turn ended, for the person. */
export type HostedEnd = {
  readonly status: Exclude<TurnStatus, "queued" | "running" | "interrupted">;
  readonly text: string;
  readonly why?: string;
  /** For the person, beside the answer. */
  readonly notes: readonly string[];
  /** Messages that were steered into it and that the agent never heard: it ended before. */
  readonly unheard?: readonly HostedMessage[];
};

/** One message for the agent. `onText` hears the answer as it comes. */
export type HostedTurn = HostedMessage & {
  readonly signal: AbortSignal;
  onText(delta: string): void;
};

/** A conversation in a runtime. One turn at a time; it never rejects: what goes wrong is how the turn ended. */
export type HostedSession = {
  prompt(turn: HostedTurn): Promise<HostedEnd>;
  /** Gives the running turn a further message; false where there is none, or the runtime cannot. */
  steer(message: HostedMessage): boolean;
  close(): Promise<void>;
};

/** What a runtime needs to host a conversation. */
export type HostedOptions = {
  readonly session: Session;
  readonly agent: Agent;
  /** The folder that the agent's tools work in. */
  readonly workspace: string;
  /** Runs the agent's commands, in the sandbox where there is one. */
  readonly commands: Commands;
  /** The transcript so far, as this runtime gave it. */
  readonly transcript: readonly JsonObject[];
  readonly approvals: Approvals;
  /** Further entries of the transcript, in order; they are kept before it resolves. */
  keep(entries: readonly JsonObject[]): Promise<void>;
};

/** Which message it is and whose, as sessions have it. */
export function fromOf({ messageId, sender, quotedLines }: HostedMessage): Omit<IncomingMessage, "text"> {
  return {
    ...(messageId === undefined ? {} : { id: messageId }),
    ...(sender === undefined ? {} : { sender }),
    ...(quotedLines === undefined ? {} : { quotedLines }),
  };
}

/** A runtime that the gateway hosts agents on. */
export type HostedRuntime = {
  readonly name: string;
  open(options: HostedOptions): Promise<HostedSession>;
};
