import { parseModes } from "../../../behavior/session/modes/parse-modes.ts";
import type { MessageResult } from "../../../engine/moments/message.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import { NOBODY } from "../shared/claude/translate.ts";
import type { UserMessage } from "./native.ts";

/** A message on its way to the runtime. The hook gets it as `sent`, trimmed and maybe joined to others. */
type Announced = {
  readonly sent: string;
  /** The original message, including mode words. */
  readonly message: IncomingMessage;
  readonly modes: boolean;
  /** The message has attachments, so the model is asked even when the text was for Conduct alone. */
  readonly attached: boolean;
};

/** Removes mode words from the start. A message of modes only is sent unchanged, and the hook answers it. */
export function announceText(
  text: string,
  more: Omit<IncomingMessage, "text"> = {},
  { attached = false, hears = true }: { readonly attached?: boolean; readonly hears?: boolean } = {},
): Announced {
  const { any, text: rest } = hears ? parseModes(text) : { any: false, text };
  // With the slash first, the runtime gives the message a turn of its own.
  const sent = any && rest.trim() === "" && !attached ? text.trim() : rest;
  return { sent, message: { text, ...more }, modes: any, attached };
}

type Rewritten<M> = { readonly message: M; readonly announced?: Announced };

/** Like `announceText`, for a message of a streaming input. A message that begins no turn is unchanged. */
export function announceMessage<M extends UserMessage>(message: M, hears = true): Rewritten<M> {
  const { content } = message.message;
  if (typeof message.parent_tool_use_id === "string" || message.shouldQuery === false) return { message };
  // The host marks messages that it or another agent wrote.
  const { isSynthetic = false, origin } = message;
  const isPersons = !isSynthetic && (origin === undefined || origin.kind === "human");
  const said = { id: message.uuid, sender: isPersons ? undefined : NOBODY };
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

type Blocks = Exclude<UserMessage["message"]["content"], string>;
type TextBlock = Blocks[number] & { readonly text: string };

function isText(block: Blocks[number]): block is TextBlock {
  return block.type === "text" && "text" in block && typeof block.text === "string";
}

/** Removes the first characters of the text, which is the blocks joined by line breaks. */
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

/** `heard`: the message was handled before the query began. */
export type Waiting = Announced & { readonly heard?: MessageResult };

/**
 * Messages that were sent and have not reached the hook yet, oldest first. They are matched by text: the hook's ids are
 * the runtime's own, waiting messages are joined by line breaks, and commands such as `/compact` never arrive.
 */
export class Announcements {
  #waiting: readonly Waiting[] = [];

  add(message: Waiting): void {
    this.#waiting = [...this.#waiting, message];
  }

  /**
   * The messages that make up a hook's prompt; none if nobody sent it. Skipped messages with modes are included, or
   * their modes would be lost. Text that the runtime appended belongs to the last message.
   */
  take(prompt: string): readonly Waiting[] {
    const taken: Waiting[] = [];
    let rest = prompt.trim();
    do {
      const at = this.#waiting.findIndex(({ sent }) => beginsWith(rest, sent.trim()));
      const found = this.#waiting[at];
      if (found === undefined) break;
      taken.push(...this.#waiting.slice(0, at).filter(({ modes }) => modes), found);
      this.#waiting = this.#waiting.slice(at + 1);
      rest = rest.slice(found.sent.trim().length).trimStart();
    } while (rest !== "");
    const last = taken.pop();
    if (last === undefined || rest === "") return last === undefined ? [] : [...taken, last];
    return [...taken, { ...last, message: { ...last.message, text: `${last.message.text}\n\n${rest}` } }];
  }
}

/** Matches the whole text or up to the end of a line. A message of pictures only is an empty text. */
function beginsWith(text: string, sent: string): boolean {
  if (sent === "" || text === "") return sent === text;
  return text.startsWith(sent) && /^[^\S\n]*(\n|$)/.test(text.slice(sent.length));
}

export type Input = string | AsyncIterable<UserMessage>;

type Announce = (message: Announced) => Promise<void>;

type OpenInput<P> = {
  /** Absent if the input is empty or does not begin with a message. */
  readonly first?: Announced;
  /** Returns the input without mode words. Each message is announced before the runtime gets it. */
  send(announce: Announce): Promise<P>;
};

/** Waits for the first message. Without `hears`, as in shadow mode, messages keep their mode words. */
export async function openInput<P extends Input>(prompt: P, hears: () => boolean = () => true): Promise<OpenInput<P>> {
  if (typeof prompt === "string") {
    const first = announceText(prompt, {}, { hears: hears() });
    const sent: Input = first.sent;
    return {
      first,
      async send(announce) {
        await announce(first);
        return sent as P;
      },
    };
  }
  const input = prompt[Symbol.asyncIterator]();
  const head = await input.next();
  const begun = head.done === true ? [] : [announceMessage(head.value, hears())];
  const [first] = begun.flatMap(({ announced }) => announced ?? []);
  return {
    first,
    async send(announce) {
      const sent: Input = messages(begun, input, announce, hears);
      return sent as P;
    },
  };
}

async function* messages(
  begun: readonly Rewritten<UserMessage>[],
  input: AsyncIterator<UserMessage>,
  announce: Announce,
  hears: () => boolean,
): AsyncGenerator<UserMessage, void, undefined> {
  for (const { message, announced } of begun) {
    if (announced !== undefined) await announce(announced);
    yield message;
  }
  for await (const given of { [Symbol.asyncIterator]: () => input }) {
    const { message, announced } = announceMessage(given, hears());
    if (announced !== undefined) await announce(announced);
    yield message;
  }
}
