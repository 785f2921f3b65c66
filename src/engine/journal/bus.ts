import type { ConductEvent } from "../../base/words/event.ts";

export type Listener = (event: ConductEvent) => void;

/** Events as they happen. A listener that throws is dropped from that event only, and cannot break a turn. */
export class Bus {
  readonly #listeners = new Set<Listener>();
  #failures = 0;

  get failures(): number {
    return this.#failures;
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: Listener): () => void {
    // A wrapper of its own, so that one function subscribed twice is two subscriptions.
    const own: Listener = (event) => listener(event);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  emit(event: ConductEvent): void {
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
