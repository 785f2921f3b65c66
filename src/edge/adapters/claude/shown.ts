import type { HookAnswer } from "./native.ts";

const BLOCKED = "UserPromptSubmit operation blocked by hook:\n";
/** The runtime puts the hook's name before each line. */
const SAYS = /^\w+(?::\S+)? says: /gm;

/** What the person is shown by way of the runtime, which words it its own way, and how it reads without that. */
export class Shown {
  readonly #said = new Set<string>();
  readonly #replies = new Set<string>();

  /** The answer with these texts for the person beside it. */
  beside(answer: HookAnswer, texts: readonly (string | undefined)[]): HookAnswer {
    const said = texts.filter((text) => text !== undefined && text !== "").join("\n\n");
    if (said === "") return answer;
    this.#said.add(said);
    return { ...answer, systemMessage: said };
  }

  /** Answers a message without the model, and leaves no trace of it in the conversation. */
  reply(texts: readonly string[]): HookAnswer {
    const reason = texts.join("\n");
    this.#replies.add(reason);
    const hookSpecificOutput = { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true } as const;
    return { decision: "block", reason, hookSpecificOutput };
  }

  /** A message of the stream; one that shows what was said here shows just that. */
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
