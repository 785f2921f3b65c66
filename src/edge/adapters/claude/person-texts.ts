import type { HookAnswer } from "../shared/claude/native.ts";
import { replyWith, withShown } from "../shared/claude/translate.ts";

const BLOCKED = "UserPromptSubmit operation blocked by hook:\n";
/** The runtime puts the hook's name before each line. */
const SAYS = /^\w+(?::\S+)? says: /gm;

/** Texts for the person, which the runtime shows with its own prefixes; `plain` removes them from the stream. */
export class Shown {
  readonly #said = new Set<string>();
  readonly #replies = new Set<string>();

  beside(answer: HookAnswer, texts: readonly (string | undefined)[]): HookAnswer {
    const shown = withShown(answer, texts);
    if (shown !== answer && shown.systemMessage !== undefined) this.#said.add(shown.systemMessage);
    return shown;
  }

  reply(texts: readonly string[]): HookAnswer {
    const reply = replyWith(texts);
    this.#replies.add(reply.reason);
    return reply;
  }

  /** A message of the stream, without the prefix if it shows a text from here. */
  plain<M extends { readonly type: string }>(message: M): M {
    const { subtype, content, result } = message as { subtype?: unknown; content?: unknown; result?: unknown };
    if (message.type === "result" && typeof result === "string") {
      const reply = result.startsWith(BLOCKED) ? result.slice(BLOCKED.length) : "";
      return this.#replies.delete(reply) ? { ...message, result: reply } : message;
    }
    if (subtype !== "informational" || typeof content !== "string") return message;
    const said = content.replace(SAYS, "");
    if (this.#said.delete(said)) return { ...message, content: said };
    const reply = content.startsWith(BLOCKED) ? content.slice(BLOCKED.length) : "";
    return this.#replies.has(reply) ? { ...message, content: reply } : message;
  }
}
