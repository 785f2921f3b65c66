/** Notifies open streams of lost access, so that they end at once and not at the next heartbeat. */
export class Revocations {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Returns a function that unsubscribes. */
  subscribe(user: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(user) ?? new Set();
    this.#listeners.set(user, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(user);
    };
  }

  /** Call this after revoking a role or a key. Clients that still have access reconnect. */
  announce(user: string): void {
    for (const listener of [...(this.#listeners.get(user) ?? [])]) listener();
  }
}
