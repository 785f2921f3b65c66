import type { Sender } from "../../../base/words/hosting/channel.ts";

/** OpenClaw's own chat, terminal and HTTP side: whoever uses it holds the key to the gateway. */
const LOCAL = "webchat";

/** How OpenClaw marks what is no person's. Whoever types it himself only loses by it. */
const NOT_A_PERSON = ["[Inter-session message]", "[Subagent Context]"];

type From = {
  readonly channel?: string | undefined;
  readonly senderId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly trigger?: string | undefined;
};

/**
 * Who sent a message, as the channel tells. `undefined` for the person at the gateway, who is whom the session's host says. On
 * any other channel an operator is one whom the configuration names, as `channel:id`; what no person has sent directs nothing.
 */
export function senderOf(from: From, text: string, operators: readonly string[]): Sender | undefined {
  const { channel = LOCAL, senderId, sessionKey = "", trigger = "user" } = from;
  const person = trigger === "user" && !/:(?:subagent|cron|acp):/.test(sessionKey);
  if (!person || NOT_A_PERSON.some((mark) => text.startsWith(mark))) return { id: "openclaw", role: "viewer" };
  if (channel === LOCAL) return undefined;
  if (senderId === undefined) return { id: channel, role: "viewer" };
  const id = `${channel}:${senderId}`;
  return { id, role: operators.includes(id) ? "operator" : "user" };
}
