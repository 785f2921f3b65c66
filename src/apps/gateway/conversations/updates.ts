import type { ConductEvent } from "../../../base/words/event.ts";
import type { TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { PendingApproval } from "../agents/approvals.ts";

export type Update =
  | { readonly kind: "turn"; readonly turn: TurnRecord }
  | { readonly kind: "text"; readonly turn: string; readonly delta: string }
  /** A note shown to the person next to the answer. */
  | { readonly kind: "note"; readonly turn: string; readonly text: string }
  | { readonly kind: "event"; readonly event: ConductEvent }
  | { readonly kind: "approval"; readonly approval: PendingApproval };

type Listener = (update: Update) => void;

/** Listeners of single conversations and of all conversations. A listener that throws is removed. */
export class Updates {
  readonly #listeners = new Map<string | undefined, Set<Listener>>();

  /** Subscribes to all conversations if none is given. Returns a function that unsubscribes. */
  subscribe(conversation: string | undefined, listener: Listener): () => void {
    const of = this.#listeners.get(conversation) ?? new Set();
    this.#listeners.set(conversation, of.add(listener));
    return () => {
      of.delete(listener);
      if (of.size === 0) this.#listeners.delete(conversation);
    };
  }

  tell(conversation: string, update: Update): void {
    for (const key of [conversation, undefined]) {
      for (const listener of this.#listeners.get(key) ?? []) this.#tellOne(key, listener, update);
    }
  }

  #tellOne(key: string | undefined, listener: Listener, update: Update): void {
    try {
      listener(update);
    } catch {
      this.#listeners.get(key)?.delete(listener);
    }
  }
}
