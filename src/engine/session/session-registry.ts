import type { PersistentSession } from "./persistent-session.ts";
import type { Session } from "./session.ts";
import { SessionError } from "./session-options.ts";

type Entry = {
  /** Absent while the session is being opened, and after it has ended. */
  local?: Session | undefined;
  saved?: Promise<PersistentSession>;
  /** Resolves when the end of the session is saved, and its id is free again. */
  ended?: Promise<void>;
};

/** The sessions of one Conduct in memory, by id. */
export class SessionRegistry {
  readonly #entries = new Map<string, Entry>();
  #opened = 0;

  /** The open session of that id. */
  find(id: string): Session | undefined {
    return this.#entries.get(id)?.local;
  }

  /** The open session of that id, where it is saved; waits while it is being opened. */
  async findSaved(id: string): Promise<PersistentSession | undefined> {
    const { saved, ended } = this.#entries.get(id) ?? {};
    return ended === undefined ? saved?.catch(() => undefined) : undefined;
  }

  /** Whether the session of that id is open or being opened. */
  has(id: string): boolean {
    return this.#entries.has(id);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** How many were opened so far, ended ones included. */
  get opened(): number {
    return this.#opened;
  }

  all(): readonly Session[] {
    return [...this.#entries.values()].flatMap(({ local }) => local ?? []);
  }

  /** Throws when a session of that id is open. */
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

  /** Finds the saved session of that id, or opens it. However many ask at the same time, it is opened once. */
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

  /** The session has ended; its id can be used again. */
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

  /** Drops a session and its subagents from memory. What is saved of them stays, and can be opened again. */
  release(id: string): void {
    for (const [child, { local }] of this.#entries) if (local?.parent?.id === id) this.#entries.delete(child);
    this.#entries.delete(id);
  }

  /** Saves what is left of every session and drops all of them. */
  async close(): Promise<void> {
    const open = [...this.#entries.values()];
    await Promise.all(open.map(async ({ saved, ended }) => ended ?? (await saved?.catch(() => undefined))?.close()));
    this.#entries.clear();
  }

  #delete(id: string, entry: Entry): void {
    if (this.#entries.get(id) === entry) this.#entries.delete(id);
  }
}
