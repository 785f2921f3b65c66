import type { UserMessage } from "./native.ts";
import { type Announced, announceMessage, announceText } from "./user-message.ts";

/** What a query takes as its prompt. */
export type Input = string | AsyncIterable<UserMessage>;

/**
 * The first message, once there is one, and a prompt that sends it and all after it without their modes. `announce` hears
 * of each later message before the runtime does.
 */
export async function openInput<P extends Input>(
  prompt: P,
  announce: (message: Announced) => void,
): Promise<{ readonly first?: Announced; readonly prompt: P }> {
  if (typeof prompt === "string") {
    const first = announceText(prompt);
    const sent: Input = first.sent;
    return { first, prompt: sent as P };
  }
  const input = prompt[Symbol.asyncIterator]();
  const head = await input.next();
  const { message, announced: first } = head.done === true ? {} : announceMessage(head.value);
  const sent: Input = messages(message === undefined ? [] : [message], input, announce);
  return { ...(first === undefined ? {} : { first }), prompt: sent as P };
}

async function* messages(
  head: readonly UserMessage[],
  input: AsyncIterator<UserMessage>,
  announce: (message: Announced) => void,
): AsyncGenerator<UserMessage, void, undefined> {
  yield* head;
  for await (const given of { [Symbol.asyncIterator]: () => input }) {
    const { message, announced } = announceMessage(given);
    if (announced !== undefined) announce(announced);
    yield message;
  }
}
