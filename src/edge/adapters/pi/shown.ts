import type { SessionMoments } from "../../../engine/session/session-moments.ts";

/** For the person, beside the model's answer, and never for the model. */
export type ForPerson = {
  readonly notes: readonly string[];
  /** What verbose mode tells, in the order in which it happened. */
  readonly debug: readonly string[];
};

/** Gathers what the person is shown in a turn; `show` hears each text at once. */
export class Shown {
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

  /** Takes over what verbose mode has gathered since the last time. */
  drain(): void {
    const text = this.#session.takeDebug();
    if (text === undefined) return;
    this.#debug.push(text);
    this.#show?.(text);
  }

  /** Everything since the last time. */
  take(): ForPerson {
    this.drain();
    const taken = { notes: this.#notes, debug: this.#debug };
    this.#notes = [];
    this.#debug = [];
    return taken;
  }
}
