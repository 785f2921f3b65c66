import type { SessionClassification } from "../../../base/words/classification.ts";
import type { PersonAnswer } from "../../../base/words/decision.ts";
import type { TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { Modes } from "../../../base/words/modes.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";

/**
 * Everything that can be done to a conversation besides sending a message. Only its owner may do it, so an act is JSON
 * and travels to the owner.
 */
export type Act =
  /** Looks for turns that another replica has stored. */
  | { readonly kind: "look" }
  | { readonly kind: "cancel" }
  /** Ends its turns and drops it from memory, because it is being deleted. */
  | { readonly kind: "leave" }
  | { readonly kind: "steer"; readonly message: IncomingMessage }
  | { readonly kind: "answer"; readonly approval: string; readonly answer: PersonAnswer; readonly by: string }
  | { readonly kind: "elevate"; readonly forMs: number; readonly by: string }
  | { readonly kind: "lower" }
  | { readonly kind: "tag"; readonly custom: readonly string[] }
  | { readonly kind: "classification"; readonly again: boolean };

export type ActResults = {
  readonly look: null;
  /** The number of cancelled turns. */
  readonly cancel: number;
  readonly leave: null;
  /** The turn that the message was added to; null if the message has to become a turn of its own. */
  readonly steer: TurnRecord | null;
  /** False if the question can no longer be answered. */
  readonly answer: boolean;
  /** Null if the agent may never be elevated. */
  readonly elevate: Modes | null;
  readonly lower: Modes;
  readonly tag: null;
  readonly classification: SessionClassification | null;
};
