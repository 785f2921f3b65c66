import type { Sender } from "../../../../base/words/hosting/channel.ts";

/** A message that a person wrote, according to the transport: never an agent's, a tool's or a forwarded text. */
export type SaidMessage = {
  readonly session: string;
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
