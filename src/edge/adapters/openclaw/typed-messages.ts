/** A message as a person typed it. `text`, once Conduct has heard it: what the model gets of it. */
export type Typed = { readonly typed: string; readonly id?: string | undefined; text?: string };

/** What is kept while OpenClaw takes its time to begin a run. */
const MAX_ARRIVED = 50;

/** The messages of one conversation between their arrival and the end of the run that they are for. */
export class TypedMessages {
  #arrived: Typed[] = [];
  #heard: { readonly typed: string; readonly text: string }[] = [];
  /** Those that were for Conduct alone. */
  readonly #own: string[] = [];

  arrive(typed: string, id: string | undefined): Typed {
    const message: Typed = { typed, id };
    this.#arrived = [...this.#arrived, message].slice(-MAX_ARRIVED);
    return message;
  }

  /** Conduct has heard it, and the model gets `text`. */
  hear(message: Typed, text: string): void {
    message.text = text;
    if (text !== message.typed) this.#heard.push({ typed: message.typed, text });
  }

  /** Conduct has answered it. */
  answer(message: Typed): void {
    this.#arrived = this.#arrived.filter((one) => one !== message);
    this.#own.push(message.typed);
  }

  /** Those that a run with this prompt is about, the oldest first; they are for no other run. OpenClaw may put several into one. */
  take(prompt: string): readonly Typed[] {
    const within = ({ typed, text = typed }: Typed) => prompt.includes(text.trim()) || prompt.includes(typed.trim());
    const taken = this.#arrived.filter(within);
    this.#arrived = this.#arrived.filter((one) => !taken.includes(one));
    return taken;
  }

  /** What the transcript keeps of a message: nothing of one that was for Conduct, else the text for the model. */
  kept(typed: string): { readonly block: true } | { readonly text: string } | undefined {
    const own = this.#own.indexOf(typed);
    if (own >= 0) {
      this.#own.splice(own, 1);
      return { block: true };
    }
    const heard = this.#heard.find((one) => one.typed === typed);
    return heard === undefined ? undefined : { text: heard.text };
  }

  /** A prompt of OpenClaw's without the words that were for Conduct. */
  cleaned(prompt: string): string {
    return this.#heard.reduce((text, { typed, text: rest }) => text.replace(typed, () => rest), prompt);
  }

  /** The run is over. */
  end(): void {
    this.#heard = [];
  }
}
