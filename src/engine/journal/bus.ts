import type { ConductEvent } from "../../base/words/event.ts";

export type Listener = (event: ConductEvent) => void;

/** The owner of the bus needs one type of event, whether or not anybody else listens. */
type OwnListener = { readonly type: ConductEvent["type"]; readonly listener: Listener };

/** Events as they happen. A listener that throws is dropped from that event only, and cannot break a turn. */
export class Bus {
  readonly #listeners = new Set<Listener>();
  readonly #own: OwnListener | undefined;
  #failures = 0;

  constructor(own?: OwnListener) {
    this.#own = own;
  }

  get failures(): number {
    return this.#failures;
  }

  /** False if nobody listens: then no event of this type has to be made. */
  hears(type: ConductEvent["type"]): boolean {
    return this.#listeners.size > 0 || type === this.#own?.type;
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: Listener): () => void {
    // A wrapper of its own, so that one function subscribed twice is two subscriptions.
    const own: Listener = (event) => listener(event);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  emit(event: ConductEvent): void {
    if (event.type === this.#own?.type) this.#own.listener(event);
    for (const listener of this.#listeners) {
      try {
        const answer: unknown = listener(event);
        // An async listener may reject later.
        if (answer instanceof Promise) answer.catch(() => this.#failed());
      } catch {
        this.#failed();
      }
    }
  }

  #failed(): void {
    this.#failures += 1;
  }
}
