import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { bindAgents } from "../../edge/host/daemon-agents.ts";
import type { StoreKeeper } from "../../edge/host/daemon-keeper.ts";
import { stampOf } from "../../edge/host/file-stamp.ts";
import { openRoom, type Room } from "./room.ts";

/** Workspaces that are open at once; the one used longest ago is closed first, and is opened anew when it is asked for. */
const OPEN = 8;

/** A room that is used now, or why there is none. */
export type Entered = { readonly room: Room } | { readonly broken: string };

type Kept = {
  readonly opened: Promise<Entered>;
  readonly sessions: Set<string>;
  /** Of every file that it depends on; made with the room. */
  stamp: string;
  files: readonly string[];
  busy: number;
  /** To be closed as soon as nobody is in it. */
  left: boolean;
};

/** A room for each workspace, made anew when the configuration changes. Sessions outlive their rooms: they are in the store. */
export class Rooms {
  readonly #home: string;
  readonly #keeper: StoreKeeper;
  readonly #rooms = new Map<string, Kept>();
  /** Which workspace a session is of: its runtime may stand in another folder by now. */
  readonly #places = new Map<string, string>();
  readonly #closing = new Set<Promise<void>>();

  constructor(home: string, keeper: StoreKeeper) {
    this.#home = home;
    this.#keeper = keeper;
  }

  /** Does the work in the room of that session; `parent` tells the room of a subagent that is new. */
  async enter<T>(
    session: { readonly id: string; readonly cwd: string; readonly parent?: string },
    work: (entered: Entered) => Promise<T>,
  ): Promise<T> {
    const workspace = await this.#workspaceOf(session);
    const room = await this.#room(workspace);
    room.busy += 1;
    room.sessions.add(session.id);
    if (session.parent !== undefined) room.sessions.add(session.parent);
    try {
      return await work(await room.opened);
    } finally {
      room.busy -= 1;
      if (room.left && room.busy === 0) this.#close(room);
    }
  }

  /** What is in memory of it is not what is kept: its room is left, and the session is read again from the store. */
  drop(session: string): void {
    for (const [workspace, room] of this.#rooms) if (room.sessions.has(session)) this.#leave(workspace, room);
  }

  async close(): Promise<void> {
    for (const [workspace, room] of [...this.#rooms]) this.#leave(workspace, room);
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  async #workspaceOf({
    id,
    cwd,
    parent,
  }: {
    readonly id: string;
    readonly cwd: string;
    readonly parent?: string;
  }): Promise<string> {
    const known = this.#places.get(id) ?? (await this.#keeper.workspaceOf(id));
    const above = known ?? (parent === undefined ? undefined : await this.#workspaceOf({ id: parent, cwd }));
    const workspace = above ?? realFolder(cwd);
    this.#places.set(id, workspace);
    return workspace;
  }

  /** Rooms are made one after the other for each workspace: two of them would decide side by side. */
  async #room(workspace: string): Promise<Kept> {
    const known = this.#rooms.get(workspace);
    if (known !== undefined) {
      await known.opened;
      const current = this.#rooms.get(workspace);
      if (current !== undefined && stampsOf(current.files) === current.stamp) {
        this.#rooms.delete(workspace);
        this.#rooms.set(workspace, current);
        return current;
      }
      if (current !== undefined) this.#leave(workspace, current);
      // What is still under way in the old one must be kept before the new one reads it.
      await Promise.all(this.#closing);
      return this.#room(workspace);
    }
    const room: Kept = {
      opened: this.#open(workspace, () => room),
      sessions: new Set(),
      stamp: "",
      files: [],
      busy: 0,
      left: false,
    };
    this.#rooms.set(workspace, room);
    await room.opened;
    for (const [oldest, one] of this.#rooms) {
      if (this.#rooms.size <= OPEN) break;
      if (one.busy === 0 && one !== room) this.#leave(oldest, one);
    }
    return room;
  }

  async #open(workspace: string, room: () => Kept): Promise<Entered> {
    const bound = await bindAgents(this.#home, workspace);
    const kept = room();
    kept.files = bound.files;
    kept.stamp = stampsOf(bound.files);
    if (bound.kind === "broken") return { broken: bound.message };
    return { room: openRoom({ home: this.#home, workspace, bound, keeper: this.#keeper }) };
  }

  #leave(workspace: string, room: Kept): void {
    this.#rooms.delete(workspace);
    room.left = true;
    if (room.busy === 0) this.#close(room);
  }

  #close(room: Kept): void {
    const closing = (async () => {
      const entered = await room.opened;
      await this.#keeper.release(room.sessions);
      for (const id of room.sessions) this.#places.delete(id);
      if ("room" in entered) await entered.room.close();
    })();
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing)).catch(() => undefined);
  }
}

/** Changes whenever one of the files does, or comes or goes. */
function stampsOf(files: readonly string[]): string {
  return files.map((file) => {
    const found = statSync(file, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? "-" : stampOf(found);
  }).join(" ");
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
