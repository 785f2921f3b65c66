import type { Sender } from "../../../base/words/hosting/channel.ts";
import { parseModes } from "../../../behavior/session/modes/parse-modes.ts";
import type { IncomingMessage } from "../../../engine/moments/session-options.ts";
import type { UserMessage } from "./native.ts";

/** A message on its way to the runtime, which will come to the hook as `sent`, trimmed and maybe joined to others. */
export type Announced = {
  readonly sent: string;
  /** What was written, modes and all. */
  readonly message: IncomingMessage;
  /** It began with modes. */
  readonly modes: boolean;
  /** More than text goes with it, so that the model is asked even when the text was for Conduct alone. */
  readonly attached: boolean;
};

/** Nobody's word: it elevates nobody, and changes no standing instructions. */
export const NOBODY: Sender = { role: "viewer" };

/** A text without the modes at its start, where somebody hears them; one of modes only goes as it is, and the hook answers it. */
export function announceText(
  text: string,
  more: Omit<IncomingMessage, "text"> = {},
  { attached = false, hears = true }: { readonly attached?: boolean; readonly hears?: boolean } = {},
): Announced {
  const { any, text: rest } = hears ? parseModes(text) : { any: false, text };
  // With its slash first the runtime gives it a turn of its own, whatever else is waiting.
  const sent = any && rest.trim() === "" && !attached ? text.trim() : rest;
  return { sent, message: { text, ...more }, modes: any, attached };
}

/** A message as it is sent. */
export type Rewritten<M> = { readonly message: M; readonly announced?: Announced };

/** The same for a message of a streaming input. What begins no turn passes as it is. */
export function announceMessage<M extends UserMessage>(message: M, hears = true): Rewritten<M> {
  const { content } = message.message;
  if (typeof message.parent_tool_use_id === "string" || message.shouldQuery === false) return { message };
  const said = {
    ...(message.uuid === undefined ? {} : { id: message.uuid }),
    ...(isPersons(message) ? {} : { sender: NOBODY }),
  };
  if (typeof content === "string") {
    const announced = announceText(content, said, { hears });
    return { message: withContent(message, announced.sent), announced };
  }
  if (content.some(({ type }) => type === "tool_result")) return { message };
  const texts = content.flatMap((block) => (isText(block) ? [block.text] : []));
  const text = texts.join("\n");
  const announced = announceText(text, said, { attached: texts.length < content.length, hears });
  if (!announced.modes || announced.sent.trim() === text.trim()) return { message, announced };
  return { message: withContent(message, cutFront(content, text.length - announced.sent.length)), announced };
}

/** The host marks what it or another agent has written. */
function isPersons({ isSynthetic = false, origin }: UserMessage): boolean {
  return !isSynthetic && (origin === undefined || origin.kind === "human");
}

type Blocks = Exclude<UserMessage["message"]["content"], string>;
type TextBlock = Blocks[number] & { readonly text: string };

function isText(block: Blocks[number]): block is TextBlock {
  return block.type === "text" && "text" in block && typeof block.text === "string";
}

/** Takes so many characters off the front of the text, which is the blocks joined by line breaks. */
function cutFront(blocks: Blocks, characters: number): Blocks {
  let left = characters;
  return blocks.flatMap((block) => {
    if (!isText(block) || left <= 0) return [block];
    const text = block.text.slice(left);
    left -= block.text.length + 1;
    return text.trim() === "" ? [] : [{ ...block, text }];
  });
}

function withContent<M extends UserMessage>(message: M, content: string | Blocks): M {
  return { ...message, message: { ...message.message, content } };
}
