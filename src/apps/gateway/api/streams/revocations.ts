/** Tells open streams that what their user may do has changed, so that they end at once and not at the next heartbeat. */
export class Revocations {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Returns what ends the subscription. */
  subscribe(user: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(user) ?? new Set();
    this.#listeners.set(user, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(user);
    };
  }

  /** A role or a key was taken away. Clients that are still allowed to listen connect again. */
  announce(user: string): void {
    for (const listener of [...(this.#listeners.get(user) ?? [])]) listener();
  }
}
