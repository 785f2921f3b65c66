import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionHost } from "../../../engine/moments/session-moments.ts";
import { readBeside, writeBeside } from "./beside.ts";
import type { Origin } from "./events.ts";
import { type From, type LiveSession, openLive } from "./live-session.ts";

/** How many sessions that have ended in Claude Code are remembered; any of them may be resumed. */
const KEPT = 200;

/** The sessions of Claude Code by their ids. Conduct's own go on when one ends there: `claude -r` resumes it. */
export class LiveSessions {
  readonly #host: SessionHost;
  readonly #lives = new Map<string, Promise<LiveSession>>();
  readonly #known = new Map<string, LiveSession>();
  readonly #kept = new Map<string, unknown>();
  /** The one that ended first at the front. */
  readonly #ended = new Set<string>();

  constructor(host: SessionHost) {
    this.#host = host;
  }

  /** The session that an event is of; opened when it is the first of it. */
  of(event: Origin, from: From): Promise<LiveSession> {
    const id = event.session_id;
    this.#ended.delete(id);
    const known = this.#lives.get(id);
    if (known !== undefined) return known;
    const opening = openLive(this.#host, event, from, readBeside(this.#kept.get(id))).then((live) => {
      this.#known.set(id, live);
      this.#kept.delete(id);
      return live;
    });
    this.#lives.set(id, opening);
    opening.catch(() => this.#lives.delete(id));
    return opening;
  }

  has(id: string): boolean {
    return this.#lives.has(id) || this.#kept.has(id);
  }

  find(id: string): LiveSession | undefined {
    return this.#known.get(id);
  }

  /** It has ended in Claude Code. */
  end(id: string): void {
    this.#ended.delete(id);
    this.#ended.add(id);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= KEPT) return;
      this.#ended.delete(oldest);
      this.#lives.delete(oldest);
      this.#known.delete(oldest);
    }
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
    if (!this.#lives.has(id)) this.#kept.set(id, beside);
  }
}
