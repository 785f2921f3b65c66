import type { Clock } from "../../../base/ports/clock.ts";
import type { Conversation } from "../../../base/words/hosting/conversation.ts";
import type { Ownership } from "../replicas/ownership.ts";
import type { ConversationsOptions } from "./conversations.ts";
import { type LiveConversation, loadConversation, TAKEN_OVER } from "./live-conversation.ts";

/** Idle conversations are removed from memory after this time; the store still has them. */
const IDLE_MS = 10 * 60_000;

export type Used<T> =
  | { readonly kind: "here"; readonly value: T }
  | { readonly kind: "there"; readonly replica: string };

/** The conversations in memory. One is used only while this process owns it, and is loaded again after others had it. */
export class LiveConversations {
  readonly #options: ConversationsOptions;
  readonly #ownership: Ownership;
  readonly #live = new Map<string, Promise<LiveConversation>>();

  constructor(options: ConversationsOptions, ownership: Ownership) {
    this.#options = options;
    this.#ownership = ownership;
  }

  get size(): number {
    return this.#live.size;
  }

  /** Calls `use` while this process owns the conversation, or says who does. Rejects if it cannot be loaded. */
  async use<T>(conversation: Conversation, use: (live: LiveConversation) => Promise<T> | T): Promise<Used<T>> {
    const { id } = conversation;
    const hold = await this.#ownership.take(id, conversation);
    if (hold.kind === "theirs") return { kind: "there", replica: hold.replica };
    try {
      if (!hold.isUnbroken) await this.drop(id);
      return { kind: "here", value: await use(await this.open(conversation)) };
    } finally {
      await hold.give();
    }
  }

  /** Returns the conversation, and loads it if necessary. The caller owns it. */
  open(conversation: Conversation): Promise<LiveConversation> {
    const known = this.#live.get(conversation.id);
    if (known !== undefined) return known;
    const opening = loadConversation(conversation, this.#options);
    this.#live.set(conversation.id, opening);
    opening.catch(() => this.#live.delete(conversation.id));
    return opening;
  }

  /** `undefined` if it is not in memory or cannot be loaded. */
  async find(id: string): Promise<LiveConversation | undefined> {
    return this.#live.get(id)?.catch(() => undefined);
  }

  async all(): Promise<readonly LiveConversation[]> {
    const all = await Promise.all([...this.#live.values()].map((opening) => opening.catch(() => undefined)));
    return all.filter((live) => live !== undefined);
  }

  /** Removes it from memory. A turn that runs is aborted. */
  async drop(id: string): Promise<void> {
    const opening = this.#live.get(id);
    this.#live.delete(id);
    const live = await opening?.catch(() => undefined);
    if (live === undefined) return;
    live.isDropped = true;
    live.queue.length = 0;
    live.running?.abort.abort(TAKEN_OVER);
    await this.close(live);
  }

  async close(live: LiveConversation): Promise<void> {
    this.#live.delete(live.conversation.id);
    await live.hosted.close();
    await live.session.close();
    this.#options.conduct.sessions.release(live.session.id);
  }

  /** Unloads idle conversations. */
  async sweep(clock: Clock): Promise<void> {
    const before = clock.monotonic() - IDLE_MS;
    for (const live of await this.all())
      if (live.running === undefined && live.queue.length === 0 && live.lastUsed <= before) await this.close(live);
  }
}
