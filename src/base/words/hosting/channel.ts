/** A channel as the prompt and the tools know it. `interactive`: a person reads along and can answer. */
export type ChannelProfile = {
  readonly name: string;
  readonly interactive: boolean;
  /** How to answer there, for the agent. */
  readonly guidance: string;
};

/**
 * Who sent a message. Told by the transport, never by the text. `id` is the transport's own; `user` is which user that is, where it
 * is known: one who is not the session's user cannot change that user's instructions.
 */
export type Sender = {
  readonly id?: string;
  readonly user?: string;
  readonly role: "operator" | "user" | "viewer";
};
