import type { Conversation, TurnRecord } from "../../base/words/conversation.ts";
import type { Session } from "../../engine/moments/session.ts";
import type { HostedSession } from "./runtimes/hosted.ts";
import type { StateKeeper } from "./states.ts";

/** A conversation in memory: its session, its runtime, and the turns that wait. */
export type LiveConversation = {
  readonly conversation: Conversation;
  readonly session: Session;
  readonly state: StateKeeper;
  readonly hosted: HostedSession;
  /** Waiting, the next first. */
  readonly queue: TurnRecord[];
  /** Those on their way into it. */
  entering: number;
  running: { readonly turn: TurnRecord; readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  lastUsed: number;
};
