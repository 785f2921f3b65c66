import type { SaidMessage } from "../said.ts";

/** Consecutive messages of one user to one agent, each in its own event. */
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
