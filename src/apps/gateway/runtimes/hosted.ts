import type { Commands } from "../../../base/ports/commands.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { TurnStatus } from "../../../base/words/hosting/conversation.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Session } from "../../../engine/session/session.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";

/** How a turn ended, for the person. */
export type HostedEnd = {
  readonly status: Exclude<TurnStatus, "queued" | "running" | "interrupted">;
  readonly text: string;
  readonly why?: string;
  /** For the person, next to the answer. */
  readonly notes: readonly string[];
  /** Messages that were steered into the turn and that the agent never read, because the turn ended before. */
  readonly unheard?: readonly IncomingMessage[];
};

export type TurnOptions = {
  readonly signal: AbortSignal;
  /** Gets the answer as it comes. */
  onText(delta: string): void;
};

/** A conversation in a runtime, one turn at a time. */
export type HostedSession = {
  /** Never rejects: a failure is how the turn ended. */
  prompt(message: IncomingMessage, options: TurnOptions): Promise<HostedEnd>;
  /** Gives the running turn a further message; false when there is none, or the runtime cannot. */
  steer(message: IncomingMessage): boolean;
  close(): Promise<void>;
};

/** What a runtime needs to host a conversation. */
export type HostedOptions = {
  readonly session: SessionMoments;
  /** Sets tokens aside for a model request of the host's own. */
  readonly reserveBudget: Session["reserveBudget"];
  readonly agent: Agent;
  /** The folder that the agent's tools work in. */
  readonly workspace: string;
  /** Runs the agent's commands, in the sandbox where there is one. */
  readonly commands: Commands;
  /** The transcript so far, as this runtime gave it. */
  readonly transcript: readonly JsonObject[];
  /** Appends entries to the transcript; resolves when they are saved. */
  keep(entries: readonly JsonObject[]): Promise<void>;
};

/** A runtime that the gateway hosts agents on. */
export type HostedRuntime = {
  readonly name: string;
  open(options: HostedOptions): Promise<HostedSession>;
};
