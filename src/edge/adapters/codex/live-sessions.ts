import type { Conduct } from "../../../engine/session/conduct.ts";
import type { CodexOrigin } from "./events.ts";
import { type LiveSession, type OpenOptions, openLive, tellStarted } from "./live-session.ts";

/** Sessions that have ended in Codex and are kept, because any of them may be resumed. */
const KEPT = 200;

/**
 * The sessions of Codex and its subagents by their ids. `codex exec` ends its session after every message and resumes it
 * for the next one: a session that has ended there is parked, and goes on as it was when a hook of it comes. Open
 * questions can be answered meanwhile. It ends for good when too many others were parked after it.
 */
export class LiveSessions {
  readonly #conduct: Conduct;
  readonly #options: OpenOptions;
  readonly #lives = new Map<string, Promise<LiveSession>>();
  /** Roots, the one that was parked first at the front. */
  readonly #parked = new Set<string>();

  constructor(conduct: Conduct, options: OpenOptions) {
    this.#conduct = conduct;
    this.#options = options;
  }

  /** The session that an event is of; opened when it is the first of it. */
  async of(event: CodexOrigin): Promise<LiveSession> {
    if (this.#parked.delete(event.root)) {
      const root = await this.#open({ ...event, session: event.root });
      this.#conduct.find(event.root)?.opened("resumed");
      await tellStarted(this.#conduct, root, event);
    }
    return this.#open(event);
  }

  find(id: string): Promise<LiveSession> | undefined {
    return this.#lives.get(id);
  }

  /** The session has ended in Codex, and its subagents with it. */
  async park(root: string): Promise<void> {
    this.#parked.delete(root);
    this.#parked.add(root);
    const { keep = KEPT } = this.#options;
    for (const oldest of this.#parked) {
      if (this.#parked.size <= keep) return;
      this.#parked.delete(oldest);
      await this.#end(oldest);
    }
  }

  #open(event: CodexOrigin): Promise<LiveSession> {
    const known = this.#lives.get(event.session);
    if (known !== undefined) return known;
    const parent = event.session === event.root ? undefined : this.#open({ ...event, session: event.root });
    const opening = (async () => openLive(this.#conduct, this.#options, event, await parent))();
    this.#lives.set(event.session, opening);
    opening.catch(() => this.#lives.delete(event.session));
    return opening;
  }

  async #end(root: string): Promise<void> {
    for (const [id, opening] of [...this.#lives]) {
      const live = await opening.catch(() => undefined);
      if (live === undefined || (id !== root && this.#conduct.find(id)?.parent?.id !== root)) continue;
      this.#lives.delete(id);
      live.session.notice({ kind: "ended", reason: "it ended in Codex, and too many others have since" });
    }
  }
}
