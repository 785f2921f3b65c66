import type { SaidMessage } from "./said-message.ts";

/** Messages of one user to one agent, one after the other, each an event of its own. */
export function said(texts: readonly string[], more: Partial<SaidMessage> = {}): readonly SaidMessage[] {
  return texts.map((text, at) => ({
    session: "s1",
    event: `${more.session ?? "s1"}-e${at}`,
    at,
    text,
    user: "ann",
    agent: "scout",
    channel: "web",
    role: "user",
    ...more,
  }));
}
