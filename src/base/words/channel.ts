/** A channel as the prompt and the tools know it. `interactive`: a person reads along and can answer. */
export type ChannelProfile = {
  readonly name: string;
  readonly interactive: boolean;
  /** How to answer there, for the agent. */
  readonly guidance: string;
};

/** Who sent a message. Told by the transport, never by the text. */
export type Sender = { readonly id?: string; readonly role: "operator" | "user" | "viewer" };
