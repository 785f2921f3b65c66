import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import { readBeside, writeBeside } from "./beside.ts";
import type { Origin } from "./events.ts";
import { type From, type LiveSession, openLive } from "./live-session.ts";

/** How many sessions are remembered. One that was left for longest, with no call under way, is forgotten first. */
const KEPT = 200;

/** The sessions of Claude Code by their ids. Conduct's own go on when one ends there: `claude -r` resumes it. */
export class LiveSessions {
  readonly #host: SessionHost;
  readonly #opening = new Map<string, Promise<LiveSession>>();
  /** The one that was left for longest at the front. */
  readonly #known = new Map<string, LiveSession>();
  readonly #kept = new Map<string, unknown>();

  constructor(host: SessionHost) {
    this.#host = host;
  }

  /** The session that an event is of; opened when it is the first of it. */
  async of(event: Origin, from: From): Promise<LiveSession> {
    const id = event.session_id;
    const live = this.#known.get(id) ?? (await this.#open(event, from));
    this.#known.delete(id);
    this.#known.set(id, live);
    this.#forget();
    return live;
  }

  has(id: string): boolean {
    return this.#known.has(id) || this.#opening.has(id) || this.#kept.has(id);
  }

  find(id: string): LiveSession | undefined {
    return this.#known.get(id);
  }

  all(): readonly LiveSession[] {
    return [...this.#known.values()];
  }

  beside(id: string): JsonObject | undefined {
    const live = this.#known.get(id);
    if (live !== undefined) return writeBeside(live);
    const kept = this.#kept.get(id);
    return isObject(kept) ? kept : undefined;
  }

  restore(id: string, beside: unknown): void {
    if (!this.#known.has(id) && !this.#opening.has(id)) this.#kept.set(id, beside);
  }

  #open(event: Origin, from: From): Promise<LiveSession> {
    const id = event.session_id;
    const under = this.#opening.get(id);
    if (under !== undefined) return under;
    const opening = openLive(this.#host, event, from, readBeside(this.#kept.get(id)))
      .then((live) => {
        this.#kept.delete(id);
        return live;
      })
      .finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  #forget(): void {
    for (const [id, { scopes }] of this.#known) {
      if (this.#known.size <= KEPT) return;
      if (scopes.all().every(({ open }) => open.size === 0)) this.#known.delete(id);
    }
  }
}
