import type { HookAnswer } from "./native.ts";

const BLOCKED = "UserPromptSubmit operation blocked by hook:\n";
/** The runtime puts the hook's name before each line. */
const SAYS = /^\w+(?::\S+)? says: /gm;

/** What the person is shown by way of the runtime, which words it its own way, and how it reads without that. */
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

/** The answer with these texts for the person beside it. */
export function withShown(answer: HookAnswer, texts: readonly (string | undefined)[]): HookAnswer {
  const systemMessage = texts.filter((text) => text !== undefined && text !== "").join("\n\n");
  return systemMessage === "" ? answer : { ...answer, systemMessage };
}

/** Answers a message without the model, and leaves no trace of it in the conversation. */
export function replyWith(texts: readonly string[]): HookAnswer & { readonly reason: string } {
  const hookSpecificOutput = { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true } as const;
  return { decision: "block", reason: texts.join("\n"), hookSpecificOutput };
}
