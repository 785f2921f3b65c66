import type { SessionMoments } from "../../../engine/session/session-moments.ts";

/** Texts for the person, next to the model's answer. */
export type ForPerson = {
  readonly notes: readonly string[];
  /** Debug lines of verbose mode, in order. */
  readonly debug: readonly string[];
};

/** Collects the texts for the person in a turn; `show` gets each text at once. */
export class PersonTexts {
  readonly #session: Pick<SessionMoments, "takeDebug">;
  readonly #show: ((text: string) => void) | undefined;
  #notes: string[] = [];
  #debug: string[] = [];

  constructor(session: Pick<SessionMoments, "takeDebug">, show?: (text: string) => void) {
    this.#session = session;
    this.#show = show;
  }

  note(texts: readonly string[]): void {
    this.#notes.push(...texts);
    for (const text of texts) this.#show?.(text);
  }

  drain(): void {
    const text = this.#session.takeDebug();
    if (text === undefined) return;
    this.#debug.push(text);
    this.#show?.(text);
  }

  take(): ForPerson {
    this.drain();
    const taken = { notes: this.#notes, debug: this.#debug };
    this.#notes = [];
    this.#debug = [];
    return taken;
  }
}
