import { quoteForeign } from "../../../base/kernel/foreign-text.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";

/** A formatted part of a message. Offsets count UTF-16 units. */
type TelegramEntity = { readonly type: string; readonly offset: number; readonly length: number };

/** Block formats: every line they touch is quoted. */
const BLOCKS = new Set(["blockquote", "expandable_blockquote", "pre"]);
/** Inline formats: a line is quoted if its keyword is inside. Nobody types these around a keyword. */
const INLINE = new Set(["code", "text_link", "spoiler"]);

/** Line numbers, from 1, that are quotations, code, or start with a link or hidden text. */
export function quotedLinesOf(text: string, entities: readonly TelegramEntity[]): readonly number[] {
  if (entities.length === 0) return [];
  const quoted: number[] = [];
  let start = 0;
  for (const [at, line] of text.split("\n").entries()) {
    const place = { start, end: start + line.length, keyword: keywordIn(line, start) };
    if (entities.some((entity) => covers(entity, place))) quoted.push(at + 1);
    start += line.length + 1;
  }
  return quoted;
}

type Span = { readonly from: number; readonly to: number };
type Line = { readonly start: number; readonly end: number; readonly keyword: Span };

/** The span of a directive's keyword: after a list marker, up to the colon. */
function keywordIn(line: string, start: number): Span {
  const [before = ""] = /^\s*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?[*_]{0,2}/.exec(line) ?? [];
  const colon = line.indexOf(":");
  return { from: start + before.length, to: start + (colon < 0 ? line.length : colon + 1) };
}

function covers({ type, offset, length }: TelegramEntity, { start, end, keyword }: Line): boolean {
  const to = offset + length;
  if (BLOCKS.has(type)) return offset < Math.max(end, start + 1) && to > start;
  return INLINE.has(type) && offset < keyword.to && to > keyword.from;
}

/** The fields of a Telegram message that identify its author. The text is never used for that. */
export type TelegramMessage = {
  readonly message_id: number;
  readonly text?: string | undefined;
  readonly caption?: string | undefined;
  readonly entities?: readonly TelegramEntity[] | undefined;
  readonly caption_entities?: readonly TelegramEntity[] | undefined;
  readonly chat: { readonly id: number; readonly type: string };
  readonly from?:
    | { readonly id: number; readonly is_bot: boolean; readonly first_name?: string; readonly username?: string }
    | undefined;
  readonly sender_chat?: unknown;
  readonly via_bot?: unknown;
  readonly forward_origin?: unknown;
  readonly is_automatic_forward?: unknown;
  readonly reply_to_message?: { readonly from?: { readonly id: number } | undefined } | undefined;
};

export type ReadMessage = {
  readonly text: string;
  readonly chat: number;
  readonly isPrivate: boolean;
  readonly from: { readonly id: number; readonly name: string };
  readonly role: Sender["role"];
  readonly messageId: string;
  /** Line numbers, from 1, that are quotations or code. */
  readonly quotedLines: readonly number[];
};

/** `ignore`: the message is not for the bot. */
type MessageReading = ReadMessage | { readonly ignore: string };

/**
 * Determines the author. An operator is a configured numeric id, in a private chat, in their own words. Forwarded,
 * via-bot and chat-signed messages count as quotations from a user.
 */
export function readTelegram(
  message: TelegramMessage,
  bot: { readonly id: number; readonly username: string },
  operators: readonly number[],
): MessageReading {
  const { from, chat } = message;
  const typed = message.text ?? message.caption;
  if (from === undefined || typed === undefined || typed.trim() === "") return { ignore: "no text of a person" };
  if (from.is_bot) return { ignore: "from a bot" };
  const isPrivate = chat.type === "private";
  const isForeign =
    message.forward_origin !== undefined || message.via_bot !== undefined || message.is_automatic_forward !== undefined;
  const inName = message.sender_chat !== undefined;
  if (!isPrivate && !isAddressed(message, typed, bot)) return { ignore: "not addressed to us" };
  const named = withoutName(typed, bot.username);
  if (named === undefined) return { ignore: "for another bot" };
  const own = named.trim();
  const entities = message.text === undefined ? message.caption_entities : message.entities;
  // Bot names are removed from lines; only leading lines can disappear.
  const gone = /^\s*/.exec(named)?.[0].split("\n").length ?? 1;
  const quotedLines = quotedLinesOf(typed, entities ?? []).map((line) => line - gone + 1);
  const mayDecide = isPrivate && !isForeign && !inName && operators.includes(from.id);
  return {
    text: isForeign ? `Forwarded message, not written by me:\n${quoteForeign(own).replaceAll(/^/gm, "> ")}` : own,
    chat: chat.id,
    isPrivate,
    from: { id: from.id, name: from.first_name ?? from.username ?? String(from.id) },
    role: mayDecide ? "operator" : "user",
    quotedLines: isForeign ? [] : quotedLines,
    messageId: `tg:${chat.id}:${message.message_id}`,
  };
}

/** Whether a group message mentions, commands or answers the bot. */
function isAddressed(
  message: TelegramMessage,
  text: string,
  bot: { readonly id: number; readonly username: string },
): boolean {
  if (message.reply_to_message?.from?.id === bot.id) return true;
  return new RegExp(`@${escapeRegExp(bot.username)}\\b`, "i").test(text);
}

/** `/think@our_bot on` becomes `/think on`. Returns undefined for another bot's command. */
function withoutName(text: string, username: string): string | undefined {
  const [, command = "", name] = /^\s*(\/\w+)(?:@(\w+))?/.exec(text) ?? [];
  if (name !== undefined && name.toLowerCase() !== username.toLowerCase()) return undefined;
  const plain = name === undefined ? text : text.replace(`${command}@${name}`, command);
  return plain.replaceAll(new RegExp(`(^|\\s)@${escapeRegExp(username)}\\b`, "gi"), "$1");
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
