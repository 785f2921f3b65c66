/** A message as a person typed it. `text`, once Conduct has heard it: what the model gets of it. */
export type Typed = { readonly typed: string; readonly id?: string | undefined; text?: string };

/** What is kept while OpenClaw takes its time. */
const MAX_KEPT = 50;

/** The messages of one conversation between their arrival and the end of the run that they are for. */
export class TypedMessages {
  #arrived: readonly Typed[] = [];
  #taken: readonly Typed[] = [];
  /** Those that were for Conduct alone. */
  #own: readonly string[] = [];

  arrive(typed: string, id?: string): Typed {
    const message: Typed = { typed, id };
    this.#arrived = [...this.#arrived, message].slice(-MAX_KEPT);
    return message;
  }

  /** Conduct has answered it: no run is about it. */
  answer(message: Typed): void {
    this.#arrived = this.#arrived.filter((one) => one !== message);
    this.#taken = this.#taken.filter((one) => one !== message);
    this.#own = [...this.#own, message.typed].slice(-MAX_KEPT);
  }

  /** Those that a run with this prompt is about, the oldest first. OpenClaw may put several into one. */
  take(prompt: string): readonly Typed[] {
    const within = ({ typed, text = typed }: Typed) => prompt.includes(text.trim()) || prompt.includes(typed.trim());
    const taken = this.#arrived.filter(within);
    this.#arrived = this.#arrived.filter((one) => !taken.includes(one));
    this.#taken = [...this.#taken, ...taken];
    return taken;
  }

  /** What the transcript keeps of a message: nothing of one that was for Conduct, else the text for the model. */
  kept(typed: string): { readonly block: true } | { readonly text: string } | undefined {
    const changed = this.#changed().find((one) => one.typed === typed);
    if (changed !== undefined) return { text: changed.text };
    return this.#own.includes(typed) ? { block: true } : undefined;
  }

  /** A prompt of OpenClaw's without the words that were for Conduct. */
  cleaned(prompt: string): string {
    return this.#changed().reduce((whole, { typed, text }) => whole.replace(typed, () => text), prompt);
  }

  /** The run is over. */
  end(): void {
    this.#taken = [];
  }

  #changed(): readonly { readonly typed: string; readonly text: string }[] {
    return [...this.#arrived, ...this.#taken].flatMap(({ typed, text = typed }) =>
      text === typed ? [] : [{ typed, text }],
    );
  }
}
