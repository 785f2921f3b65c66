/** A channel for prompts and tools. `interactive`: a person reads along and can answer. */
export type ChannelProfile = {
  readonly name: string;
  readonly interactive: boolean;
  /** Tells the agent how to answer there. */
  readonly guidance: string;
};

/**
 * The sender of a message, from the transport and never from the text. `id` is the transport's; `user` is the known
 * user. A `user` other than the session's cannot change that user's instructions.
 */
export type Sender = {
  readonly id?: string;
  readonly user?: string;
  readonly role: "operator" | "user" | "viewer";
};
