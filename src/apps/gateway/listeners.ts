type Listener<T> = (value: T, topic: string | undefined) => void;

/** Listeners of single topics and of all topics (`undefined`). A listener that throws is removed. */
export class Listeners<T> {
  readonly #listeners = new Map<string | undefined, Set<Listener<T>>>();

  /** Returns a function that unsubscribes. */
  subscribe(topic: string | undefined, listener: Listener<T>): () => void {
    const of = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, of.add(listener));
    return () => {
      of.delete(listener);
      if (of.size === 0) this.#listeners.delete(topic);
    };
  }

  /** Tells the listeners of the topic and those of all topics. */
  tell(topic: string | undefined, value: T): void {
    for (const key of new Set([topic, undefined])) {
      for (const listener of [...(this.#listeners.get(key) ?? [])]) {
        try {
          listener(value, topic);
        } catch {
          this.#listeners.get(key)?.delete(listener);
        }
      }
    }
  }
}
