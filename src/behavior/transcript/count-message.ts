import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { TranscriptMessage } from "./message.ts";

/** What providers add around a message, and around a call or a result in it. */
const FRAME = 4;
const BLOCK = 8;
/** A picture of the largest size that providers do not make smaller. */
const PICTURE = 1_600;

/** Tokens of a message as it is sent: text, calls with their names and arguments, pictures, and the frame around it. */
export function countMessage(message: TranscriptMessage, counter: TokenCounter): number {
  const text = FRAME + counter.count(message.text);
  switch (message.kind) {
    case "system":
      return text;
    case "user":
      return text + message.images * PICTURE;
    case "result":
      return text + BLOCK + counter.count(message.tool) + message.images * PICTURE;
    case "assistant":
      return message.calls.reduce(
        (sum, { tool, args }) => sum + BLOCK + counter.count(tool) + counter.count(args),
        text,
      );
  }
}
