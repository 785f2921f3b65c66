/** An open session keeps the daemon running, but only this long: a killed runtime never ends its session. */
const UNDER_WAY_MS = 24 * 3_600_000;

/** Sessions of runtimes that cannot start a daemon themselves, with the time of their last request. */
export class RelyingSessions {
  readonly #usedAt = new Map<string, number>();

  /** A hook of Claude Code. A stop that is reported late does not keep the daemon running. */
  sawHook(id: string, event: string, now: number): void {
    const session = `hook ${id}`;
    if (event === "SessionEnd") this.#usedAt.delete(session);
    else if (this.#usedAt.has(session) || !event.endsWith("Stop")) this.#usedAt.set(session, now);
  }

  /** A request over HTTP and its status. It may name a session of a hook, which it cannot end. */
  sawRequest(id: string, moment: string, status: number, now: number): void {
    const session = `api ${id}`;
    if (moment === "close" || status === 404) this.#usedAt.delete(session);
    else if (status < 300) this.#usedAt.set(session, now);
  }

  isAnyOpen(now: number): boolean {
    for (const [session, at] of this.#usedAt) if (now - at > UNDER_WAY_MS) this.#usedAt.delete(session);
    return this.#usedAt.size > 0;
  }
}
