import type { PersistentSession } from "./persistent-session.ts";
import type { Session } from "./session.ts";
import { SessionError } from "./session-options.ts";

type Entry = {
  /** Absent while the session opens and after its end. */
  local?: Session | undefined;
  saved?: Promise<PersistentSession>;
  /** Resolves when the end of the session is saved and its id is free again. */
  ended?: Promise<void>;
};

/** The sessions of one Conduct in memory, by id. */
export class SessionRegistry {
  readonly #entries = new Map<string, Entry>();
  #opened = 0;

  find(id: string): Session | undefined {
    return this.#entries.get(id)?.local;
  }

  /** Returns the open session if it is a saved one; waits while it opens. */
  async findSaved(id: string): Promise<PersistentSession | undefined> {
    const { saved, ended } = this.#entries.get(id) ?? {};
    return ended === undefined ? saved?.catch(() => undefined) : undefined;
  }

  /** True for a session that is open or opening. */
  has(id: string): boolean {
    return this.#entries.has(id);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Total sessions opened, including ended ones. */
  get opened(): number {
    return this.#opened;
  }

  all(): readonly Session[] {
    return [...this.#entries.values()].flatMap(({ local }) => local ?? []);
  }

  /** Throws if a session with that id is open. */
  checkFree(id: string): void {
    if (this.find(id) !== undefined) throw new SessionError("session-exists", `session '${id}' is already open`);
  }

  add(session: Session): void {
    const known = this.#entries.get(session.id);
    const entry: Entry = known?.ended === undefined ? (known ?? {}) : {};
    entry.local = session;
    this.#entries.set(session.id, entry);
    this.#opened += 1;
  }

  /** Finds or opens the saved session. Concurrent callers open it only once. */
  async open(id: string, open: () => Promise<PersistentSession>): Promise<PersistentSession> {
    const known = this.#entries.get(id);
    if (known?.ended !== undefined) {
      await known.ended;
      return this.open(id, open);
    }
    if (known?.saved !== undefined) return known.saved;
    const entry: Entry = known ?? {};
    entry.saved = open();
    this.#entries.set(id, entry);
    entry.saved.catch(() => this.#delete(id, entry));
    return entry.saved;
  }

  /** Marks the session as ended; its id can be used again. */
  end(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.local = undefined;
    if (entry.saved === undefined) this.#delete(id, entry);
    else
      entry.ended = entry.saved
        .then((session) => session.close())
        .catch(() => undefined)
        .then(() => this.#delete(id, entry));
  }

  /** Drops a session and its subagents from memory. Their saved state stays and can be opened again. */
  release(id: string): void {
    for (const [child, { local }] of this.#entries) if (local?.parent?.id === id) this.#entries.delete(child);
    this.#entries.delete(id);
  }

  async close(): Promise<void> {
    const open = [...this.#entries.values()];
    await Promise.all(open.map(async ({ saved, ended }) => ended ?? (await saved?.catch(() => undefined))?.close()));
    this.#entries.clear();
  }

  #delete(id: string, entry: Entry): void {
    if (this.#entries.get(id) === entry) this.#entries.delete(id);
  }
}
