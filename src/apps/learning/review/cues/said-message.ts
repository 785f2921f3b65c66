import type { Sender } from "../../../../base/words/hosting/channel.ts";

/** A message as a person sent it. Only what the transport says a person wrote: never an agent's, a tool's or a forwarded text. */
export type SaidMessage = {
  readonly session: string;
  /** The id of the event that has the message. */
  readonly event: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
  readonly sender?: Sender;
  readonly user?: string;
  readonly agent: string;
  readonly channel?: string;
  readonly role: "operator" | "user";
};
