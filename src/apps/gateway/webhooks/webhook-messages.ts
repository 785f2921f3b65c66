import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { GovernanceEntry } from "../../../base/ports/stores/governance.ts";
import type { DeliveryDraft } from "../../../base/ports/stores/hosting/deliveries.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { WebhookTopic } from "../../../engine/agent/config/outgoing-schema.ts";

/** A longer text is cut; the console has the whole. */
const MOST_CHARS = 4_000;

/** Something that webhooks may send. `key` is unique for the event, so that it is sent once. */
export type WebhookMessage = {
  readonly topic: WebhookTopic | "test";
  readonly type: string;
  readonly key: string;
  readonly at: number;
  readonly data: JsonObject;
};

type LinkTo = (session: string) => string;

/** The message about a journal event, if webhooks report such events. */
export function messageOfEvent(event: ConductEvent, linkTo: LinkTo): WebhookMessage | undefined {
  const { session, agent, at, id } = event;
  const common = { session, agent, link: linkTo(session) };
  if (event.type === "approval") {
    const { approval, answer, by } = event;
    return message("questions", "question.answered", id, at, { ...common, approval, answer, by });
  }
  if (event.type !== "call") return undefined;
  const { call, decision } = event;
  if (decision.kind === "allow") return undefined;
  const { rule, id: decided } = decision;
  const asked = { ...common, decision: decided, rule, tool: call.tool, input: shown(JSON.stringify(call.args)) };
  if (decision.kind === "deny") {
    const { code, reason } = decision;
    return message("denials", "call.denied", id, at, { ...asked, code, reason: shown(reason) });
  }
  const { approval, question, expiresAt } = decision;
  const expires = new Date(expiresAt).toISOString();
  return message("questions", "question.asked", id, at, { ...asked, approval, question: shown(question), expires });
}

/** The message about a turn that did not end well. */
export function messageOfTurn(
  { id, conversation, status, why, endedAt, at }: TurnRecord,
  owner: Pick<Conversation, "agent" | "user" | "channel"> | undefined,
  linkTo: LinkTo,
): WebhookMessage | undefined {
  if (status !== "failed" && status !== "interrupted") return undefined;
  const { agent = "", user = "", channel = "" } = owner ?? {};
  const data = { session: conversation, agent, user, channel, turn: id, status, why: shown(why ?? "") };
  return message("failed-turns", "turn.failed", `turn:${id}`, endedAt ?? at, { ...data, link: linkTo(conversation) });
}

/** The message about an entry of the governance journal. Runs of the review have their own message. */
export function messageOfEntry({ seq, at, by, kind, body }: GovernanceEntry): WebhookMessage | undefined {
  if (kind === "review.ran") return undefined;
  return message("contract", "contract.changed", `governance:${seq}`, at, { sequence: seq, change: kind, by, body });
}

export function message(
  topic: WebhookMessage["topic"],
  type: string,
  key: string,
  at: number,
  data: JsonObject,
): WebhookMessage {
  return { topic, type, key, at, data };
}

/** What is sent to one webhook. Its id depends on the event and the webhook only. */
export function draftOf(
  { type, key, at, data }: WebhookMessage,
  webhook: string,
  redact: (text: string) => string,
): DeliveryDraft {
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: redacted(data, redact) });
  return { id: `msg_${sha256(`${webhook}\n${type}\n${key}`).slice(0, 32)}`, webhook, type, body, at };
}

function redacted(value: Json | undefined, redact: (text: string) => string): Json {
  if (value === undefined) return null;
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((one) => redacted(one, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redacted(one, redact)]));
}

function shown(text: string): string {
  const cut = cutGraphemes(text, MOST_CHARS);
  return cut === text ? text : `${cut} …`;
}
