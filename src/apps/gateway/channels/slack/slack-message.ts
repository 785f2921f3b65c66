import { quoteForeign } from "../../../../base/kernel/foreign-text.ts";
import { asObject, asString, isObject } from "../../../../base/kernel/json.ts";
import type { Sender } from "../../../../base/words/hosting/channel.ts";
import type { JsonObject } from "../../../../base/words/json.ts";

/** A message to the bot. */
export type ReadSlackMessage = {
  readonly text: string;
  /** The channel, and in a shared one also the thread: `C01` or `C01:1718.0001`. */
  readonly address: string;
  readonly isPrivate: boolean;
  /** Slack's id of the author. */
  readonly from: string;
  readonly role: Sender["role"];
  readonly messageId: string;
  /** The message was edited, and this is its new text. */
  readonly isEdit: boolean;
  /** Line numbers, from 1, that are quotations or code. */
  readonly quotedLines: readonly number[];
};

/** `ignore`: the message is not for the bot. */
type SlackReading = ReadSlackMessage | { readonly ignore: string };

/** Kinds of messages that a person writes. All others are reports of Slack or of other programs. */
const WRITTEN: ReadonlySet<string> = new Set(["", "file_share", "thread_broadcast"]);

/**
 * Determines the author of an event. An operator is a configured id, in a direct message, in their own words. Shared
 * messages, and those of programs, are never the operator's words.
 */
export function readSlack(event: JsonObject, bot: string, operators: readonly string[]): SlackReading {
  const isEdit = event.subtype === "message_changed";
  const message = isEdit ? asObject(event.message) : event;
  const { user, ts, bot_id, subtype } = message;
  const channel = asString(event.channel);
  if (typeof user !== "string" || typeof ts !== "string" || channel === "")
    return { ignore: "not a message from a person" };
  if (bot_id !== undefined || user === bot || !WRITTEN.has(asString(subtype)))
    return { ignore: "not written by a person" };
  const isPrivate = event.channel_type === "im";
  // In a shared channel the mention comes as its own event, next to the message.
  if (!isPrivate && event.type !== "app_mention") return { ignore: "not addressed to us" };
  const typed = plainText(asString(message.text), bot);
  const shared = sharedTexts(message);
  const text = [typed, ...shared].filter((part) => part !== "").join("\n\n");
  if (text === "") return { ignore: "no text" };
  const quoted = quotedTexts(message, bot);
  const thread = asString(message.thread_ts) || ts;
  return {
    text,
    address: isPrivate ? channel : `${channel}:${thread}`,
    isPrivate,
    from: user,
    role: isPrivate && operators.includes(user) ? "operator" : "user",
    messageId: `slack:${channel}:${ts}`,
    isEdit,
    quotedLines: text.split("\n").flatMap((line, at) => (quoted.has(line.trim()) ? [at + 1] : [])),
  };
}

/** Slack writes `&`, `<` and `>` as entities, and links and mentions in angle brackets. Mentions of the bot go. */
function plainText(text: string, bot: string): string {
  const own = text.replaceAll(`<@${bot}>`, "").trim();
  const linked = own.replaceAll(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_all, target: string, label?: string) => {
    if (/^[@#!]/.test(target)) return label ?? target;
    return label === undefined || label === target ? target : `${label} (${target})`;
  });
  return linked.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Messages of others that this one shares. */
function sharedTexts({ attachments }: JsonObject): readonly string[] {
  const list = Array.isArray(attachments) ? attachments.filter(isObject) : [];
  return list
    .filter(({ is_share, is_msg_unfurl }) => is_share === true || is_msg_unfurl === true)
    .map(({ text, fallback }) => asString(text) || asString(fallback))
    .filter((text) => text !== "")
    .map((text) => `Shared message, not written by me:\n${quoteForeign(plainText(text, "")).replaceAll(/^/gm, "> ")}`);
}

const QUOTING: ReadonlySet<string> = new Set(["rich_text_quote", "rich_text_preformatted"]);

/** The lines of a message that Slack shows as a quotation or as code. */
function quotedTexts({ blocks }: JsonObject, bot: string): ReadonlySet<string> {
  const lines = new Set<string>();
  const elementsOf = (of: JsonObject) => (Array.isArray(of.elements) ? of.elements.filter(isObject) : []);
  for (const block of Array.isArray(blocks) ? blocks.filter(isObject) : []) {
    for (const part of elementsOf(block)) {
      if (!QUOTING.has(asString(part.type))) continue;
      const text = elementsOf(part)
        .map((piece) => asString(piece.text))
        .join("");
      for (const line of plainText(text, bot).split("\n")) {
        lines.add(line.trim());
        lines.add(`> ${line.trim()}`);
      }
    }
  }
  lines.delete("");
  lines.delete("> ");
  return lines;
}

/** A pressed button. */
export type SlackPress = {
  readonly data: string;
  readonly user: string;
  readonly channel: string;
  readonly message: string;
  readonly text: string;
};

/** Returns undefined for anything but a button of a message. */
export function readPress(payload: JsonObject): SlackPress | undefined {
  const [action] = Array.isArray(payload.actions) ? payload.actions.filter(isObject) : [];
  const message = asObject(payload.message);
  const [user, channel] = [asString(asObject(payload.user).id), asString(asObject(payload.channel).id)];
  const [data, ts] = [asString(action?.value), asString(message.ts)];
  if (payload.type !== "block_actions" || data === "" || user === "" || channel === "" || ts === "") return undefined;
  return { data, user, channel, message: ts, text: plainText(asString(message.text), "") };
}
