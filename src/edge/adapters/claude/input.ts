import type { UserMessage } from "./native.ts";
import { type Announced, announceMessage, announceText, type Rewritten } from "./user-message.ts";

/** What a query takes as its prompt. */
export type Input = string | AsyncIterable<UserMessage>;

type Announce = (message: Announced) => Promise<void>;

export type OpenInput<P> = {
  /** None when the input ends without one, or begins with what is no message. */
  readonly first?: Announced;
  /** The input without the modes of its messages. Each is announced before the runtime gets it. */
  send(announce: Announce): Promise<P>;
};

/** Waits for the first message. Where nobody `hears` modes, as in shadow, messages go as they were written. */
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
    ...(first === undefined ? {} : { first }),
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
