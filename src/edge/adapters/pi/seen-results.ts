import type { AgentMessage } from "@earendil-works/pi-agent-core";

/** Notices that the model no longer sees a result it has seen: Pi has no event for a transcript that was cut. */
export class SeenResults {
  #ids: ReadonlySet<string> = new Set();

  /** True when something the last request carried is missing from this one. */
  compactedBy(messages: readonly AgentMessage[]): boolean {
    const now = new Set(messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : [])));
    const lost = !this.#ids.isSubsetOf(now);
    this.#ids = now;
    return lost;
  }

  /** What the last request carried is known to be gone. */
  forget(): void {
    this.#ids = new Set();
  }
}
