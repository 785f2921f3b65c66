import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { errorText } from "../../base/kernel/error-text.ts";
import type { Fault } from "../../base/words/event.ts";
import { bindAgents } from "../../edge/host/daemon/daemon-agents.ts";
import { stampOf } from "../../edge/host/workspace/file-stamp.ts";
import { openRoom, type Room, type RoomOptions } from "./room.ts";

/** Workspaces that are open at once; the one used longest ago is closed first, and is opened anew when it is asked for. */
const OPEN = 8;
/** Sessions that one has in memory, ended ones included, before it is closed to begin afresh. */
const SESSIONS = 500;
/** Faults that are kept for the next room. */
const FAULTS = 20;

export type RoomsOptions = Omit<RoomOptions, "workspace" | "bound">;

/** A room that is used now, or why there is none. */
export type Entered = { readonly room: Room } | { readonly broken: string };

/** What a request tells of its session. `parent` tells the workspace of a subagent that is new. */
export type SessionPlace = { readonly id: string; readonly cwd: string; readonly parent?: string };

/** A room while it is known. `gone` resolves when it is closed and all that happened in it is kept. */
type Standing = {
  readonly workspace: string;
  readonly opened: Promise<Opened>;
  readonly sessions: Set<string>;
  busy: number;
  leaving: boolean;
  readonly gone: PromiseWithResolvers<void>;
};
type Opened = { readonly entered: Entered; readonly files: readonly string[]; readonly stamp: string };

/** A room for each workspace, made anew when the configuration changes. Sessions outlive their rooms: they are in the store. */
export class Rooms {
  readonly #options: RoomsOptions;
  readonly #rooms = new Map<string, Standing>();
  /** Which workspace a session is of: its runtime may stand in another folder by now. */
  readonly #places = new Map<string, string>();

  /** Faults that no room was there for. */
  readonly #faults: Fault[] = [];

  constructor(options: RoomsOptions) {
    this.#options = options;
  }

  /** Does the work in the room of that session. */
  async enter<T>(session: SessionPlace, work: (entered: Entered) => Promise<T>): Promise<T> {
    const workspace = await this.#workspaceOf(session);
    const room = await this.#stand(workspace);
    this.#places.set(session.id, workspace);
    room.sessions.add(session.id);
    if (session.parent !== undefined) room.sessions.add(session.parent);
    try {
      return await work((await room.opened).entered);
    } finally {
      room.busy -= 1;
      if (room.sessions.size > SESSIONS) room.leaving = true;
      if (room.leaving) this.#leave(room);
    }
  }

  /** Told in every open room; when there is none, in the next one. */
  report(fault: Fault): void {
    if (this.#rooms.size === 0) {
      this.#faults.push(fault);
      this.#faults.splice(0, this.#faults.length - FAULTS);
    }
    for (const { opened } of this.#rooms.values()) {
      void opened.then(({ entered }) => "room" in entered && entered.room.report(fault));
    }
  }

  /** What is in memory of it is not what is kept: its room is left, and the session is read again from the store. */
  drop(session: string): void {
    for (const room of this.#rooms.values()) if (room.sessions.has(session)) this.#leave(room);
  }

  /** No call waits for a person any longer: what is under way comes to its end. */
  async giveUp(): Promise<void> {
    for (const { opened } of this.#rooms.values()) {
      const { entered } = await opened;
      if ("room" in entered) entered.room.giveUp();
    }
  }

  async close(): Promise<void> {
    const rooms = [...this.#rooms.values()];
    for (const room of rooms) this.#leave(room);
    await Promise.all(rooms.map(({ gone }) => gone.promise));
  }

  async #workspaceOf({ id, cwd, parent }: SessionPlace): Promise<string> {
    const known = this.#places.get(id) ?? (await this.#options.keeper.workspaceOf(id));
    if (known !== undefined) return known;
    return parent === undefined ? realFolder(cwd) : this.#workspaceOf({ id: parent, cwd });
  }

  /** One room for a workspace at a time, or a session would be in two of them. Counts whoever gets it as being in it. */
  async #stand(workspace: string): Promise<Standing> {
    for (;;) {
      const room = this.#rooms.get(workspace) ?? this.#make(workspace);
      if (room.leaving) {
        await room.gone.promise;
        continue;
      }
      room.busy += 1;
      const { files, stamp } = await room.opened;
      if (!room.leaving && stampsOf(files) === stamp) {
        // The newest at the end.
        this.#rooms.delete(workspace);
        this.#rooms.set(workspace, room);
        return room;
      }
      room.busy -= 1;
      this.#leave(room);
    }
  }

  #make(workspace: string): Standing {
    const room: Standing = {
      workspace,
      opened: this.#open(workspace),
      sessions: new Set(),
      busy: 0,
      leaving: false,
      gone: Promise.withResolvers(),
    };
    this.#rooms.set(workspace, room);
    const resting = [...this.#rooms.values()].filter(({ busy, leaving }) => busy === 0 && !leaving);
    for (const oldest of resting.slice(0, Math.max(0, this.#rooms.size - OPEN)))
      if (oldest !== room) this.#leave(oldest);
    return room;
  }

  async #open(workspace: string): Promise<Opened> {
    let bound = await bindAgents(this.#options.home, workspace);
    let stamp = stampsOf(bound.files);
    for (;;) {
      // What was written while it was read shows when it is read again.
      const again = await bindAgents(this.#options.home, workspace);
      const now = stampsOf(again.files);
      bound = again;
      if (now === stamp) break;
      stamp = now;
    }
    const { files } = bound;
    if (bound.kind === "broken") return { entered: { broken: bound.message }, files, stamp };
    try {
      const room = openRoom({ ...this.#options, workspace, bound });
      for (const fault of this.#faults.splice(0)) room.report(fault);
      return { entered: { room }, files, stamp };
    } catch (error) {
      return { entered: { broken: errorText(error) }, files, stamp };
    }
  }

  /** Closed when nobody is in it any more; until then nobody else enters. */
  #leave(room: Standing): void {
    room.leaving = true;
    if (room.busy > 0) {
      // Whoever else comes waits until it is empty: that must not be for a person.
      void room.opened.then(({ entered }) => "room" in entered && entered.room.giveUp());
      return;
    }
    const { workspace, sessions, opened, gone } = room;
    const end = async () => {
      const { entered } = await opened;
      await this.#options.keeper.release(sessions);
      for (const id of sessions) this.#places.delete(id);
      if ("room" in entered) await entered.room.close();
    };
    void end()
      .catch(() => undefined)
      .then(() => {
        if (this.#rooms.get(workspace) === room) this.#rooms.delete(workspace);
        gone.resolve();
      });
  }
}

/** Changes whenever one of the files does, or comes or goes. */
function stampsOf(files: readonly string[]): string {
  const stamps = files.map((file) => {
    const found = statSync(file, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? "-" : stampOf(found);
  });
  return stamps.join(" ");
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
