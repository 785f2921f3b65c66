import { Problem } from "../route.ts";

/** Counts the streams that each user has open. Requests are few and short; a stream stays, and costs as long as it does. */
export class StreamLimit {
  readonly #open = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Throws when the user has as many as there may be. Gives what ends it; ending it twice is ending it once. */
  take(user: string): () => void {
    const open = this.#open.get(user) ?? 0;
    if (open >= this.#most)
      throw new Problem(429, "TOO_MANY_STREAMS", `You have ${open} event streams open already, which is the most.`, {
        fix: "Close a tab or a program that listens, and open it again; an operator sets the limit with gateway.streams.",
        detail: { most: this.#most },
      });
    this.#open.set(user, open + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(user) ?? 0) - 1;
      if (left > 0) this.#open.set(user, left);
      else this.#open.delete(user);
    };
  }
}
