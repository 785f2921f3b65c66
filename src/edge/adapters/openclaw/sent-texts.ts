/** How OpenClaw begins a message: with the time it came, and, when a run is tried again, with what it is. */
const BEFORE = /^(?:\[[^\]\n]{1,80}\] )?(?:\[Queued user message[^\]\n]*\]\n)?/;

/**
 * Puts what the model shall get in the place of what OpenClaw sends. OpenClaw rewrites texts with expressions that a plugin
 * registers once, whereas each message has its own: this one looks it up.
 */
export class SentTexts extends RegExp {
  readonly #instead = new Map<string, string>();

  constructor() {
    super("^");
  }

  set(prompt: string, text: string): void {
    if (prompt !== text) this.#instead.set(prompt, text);
  }

  delete(prompt: string): void {
    this.#instead.delete(prompt);
  }

  override [Symbol.replace](text: string): string {
    if (this.#instead.size === 0) return text;
    const before = BEFORE.exec(text)?.[0] ?? "";
    const rest = text.slice(before.length);
    for (const [prompt, instead] of this.#instead) {
      const after = rest.slice(prompt.length);
      if (rest.startsWith(prompt) && (after === "" || after.startsWith("\n\n"))) return `${before}${instead}${after}`;
    }
    return text;
  }
}
