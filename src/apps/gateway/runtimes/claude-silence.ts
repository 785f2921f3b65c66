import { isObject } from "../../../base/kernel/json.ts";
import type { ClaudeMessage } from "./claude-turn.ts";

/**
 * Ends a turn in which the model says nothing for too long. While tools run, or a person is asked about one, nothing is expected
 * of it: then it is what the runtime allows a tool.
 */
export class ClaudeSilence {
  readonly #running = new Set<string>();
  readonly #idleMs: number;
  readonly #end: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(idleMs: number, end: () => void) {
    this.#idleMs = idleMs;
    this.#end = end;
    this.#expect();
  }

  /** It was the silence that ended the turn. */
  get isOver(): boolean {
    return this.#isOver;
  }

  take({ message }: ClaudeMessage): void {
    for (const block of blocksOf(message)) {
      if (block.type === "tool_use") this.#running.add(String(block.id));
      if (block.type === "tool_result") this.#running.delete(String(block.tool_use_id));
    }
    clearTimeout(this.#timer);
    if (this.#running.size === 0) this.#expect();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #expect(): void {
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#end();
    }, this.#idleMs);
  }
}

function blocksOf(message: unknown): readonly { readonly [name: string]: unknown }[] {
  const content = isObject(message) ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isObject) : [];
}
