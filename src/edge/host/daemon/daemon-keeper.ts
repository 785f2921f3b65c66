import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { KeptSession, Lease, SessionsStore } from "../../../base/ports/stores/sessions.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { identitySlice } from "../../../behavior/session/identity.ts";
import { parseSnapshot, type Snapshot } from "../../../behavior/session/snapshot/snapshot.ts";
import { LOST_NOTE, type LostState, lostStateOf } from "../../../engine/moments/lost-state.ts";
import { Session } from "../../../engine/moments/session.ts";
import { isDamagedSession } from "../../stores/sql/store-error.ts";
import { isGone, thisHolder } from "./daemon-holder.ts";
import type { SessionKeeper, TakenSession } from "./session-keeper.ts";
import { StateWriter } from "./state-writer.ts";

/** How long a process that was cut off from the world keeps others from going on. One that has ended keeps nobody. */
const LEASE_MS = 30_000;
/** How long somebody else may take to let go: a daemon that ends finishes what is under way. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 50;

/** `saved` is what was written last; `saving` rejects from the first failure on. */
type Entry = {
  version: number;
  session?: Session;
  readonly writer: StateWriter;
  saved?: { readonly slices: Snapshot["slices"]; readonly beside: string };
  saving: Promise<void>;
  beside: JsonObject;
};

/** Where a kept session is, and what whoever opened it had put beside it. */
export type KeptPlace = {
  readonly id: string;
  readonly parent?: string;
  readonly workspace: string;
  readonly own: JsonObject;
};

export type StoreKeeperOptions = {
  readonly store: SessionsStore;
  readonly now?: () => number;
  readonly holder?: string;
  /** How long is waited for a session that somebody else holds. */
  readonly patienceMs?: number;
  /** All events of a session that are known. */
  readonly history?: (id: string) => Promise<readonly ConductEvent[]>;
  /** The session in memory is not what is kept: whoever holds it must let it go. */
  readonly onLost?: (id: string) => void;
};

/** Sessions in the store, under leases of this process that are renewed until it is closed. */
export class StoreKeeper {
  readonly #store: SessionsStore;
  readonly #now: () => number;
  readonly #holder: string;
  readonly #onLost: (id: string) => void;
  readonly #patienceMs: number;
  readonly #history: (id: string) => Promise<readonly ConductEvent[]>;
  readonly #entries = new Map<string, Entry>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: StoreKeeperOptions) {
    const {
      store,
      now = Date.now,
      holder = thisHolder(),
      patienceMs = PATIENCE_MS,
      onLost = () => undefined,
      history = async () => [],
    } = options;
    this.#history = history;
    this.#store = store;
    this.#patienceMs = patienceMs;
    this.#now = now;
    this.#holder = holder;
    this.#onLost = onLost;
    // What cannot be renewed is taken over by somebody else, and then found out when it is saved.
    const renew = () => void store.renew({ holder, until: now() + LEASE_MS }).catch(() => undefined);
    this.#timer = setInterval(renew, LEASE_MS / 3).unref();
  }

  /** The sessions of one workspace: where they are is kept with them. */
  at(workspace: string): SessionKeeper {
    return {
      take: (id) => this.#take(id),
      setAside: (id, why) => this.#setAside(id, why),
      save: (session, beside) => this.#saveAll(session, { workspace, agent: session.agent, own: beside }),
    };
  }

  /** What an adapter that works on a host keeps beside a session, apart from what the host does. */
  async adapterBeside(id: string): Promise<JsonObject | undefined> {
    const beside = this.#entries.get(id)?.beside ?? (await this.#peek(id))?.beside;
    return isObject(beside?.adapter) ? beside.adapter : undefined;
  }

  /** Kept when it resolves, as `save` does. Nothing happens where no session of that id is held. */
  async saveAdapterBeside(id: string, adapter: JsonObject): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry?.session !== undefined) await this.#queue(entry.session, { adapter });
  }

  /** The workspace of a session that is kept; `undefined` for one that nobody knows. */
  async workspaceOf(id: string): Promise<string | undefined> {
    const beside = this.#entries.get(id)?.beside ?? (await this.#peek(id))?.beside;
    return typeof beside?.workspace === "string" ? beside.workspace : undefined;
  }

  /** What has to be known to go on with a kept session; `undefined` for one that nobody here knows, or that has ended. */
  async placeOf(id: string): Promise<KeptPlace | undefined> {
    const held = this.#entries.get(id);
    const kept = held?.session === undefined ? await this.#peek(id) : undefined;
    const { workspace, own } = held?.session === undefined ? (kept?.beside ?? {}) : held.beside;
    const parent = held?.session === undefined ? parentIn(kept?.snapshot ?? "") : aboveOf(held.session);
    if (typeof workspace !== "string" || parent === undefined) return undefined;
    return { id, workspace, own: asObject(own), ...parent };
  }

  /** Waits until what was saved so far is kept. Rejects when it is not. */
  async settled(id: string): Promise<void> {
    await this.#entries.get(id)?.saving;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Others may decide for these now. Never rejects: a lease that cannot be given back runs out. */
  async release(ids: Iterable<string>): Promise<void> {
    for (const id of [...ids]) {
      const entry = this.#entries.get(id);
      if (entry === undefined) continue;
      await entry.saving.catch(() => undefined);
      this.#entries.delete(id);
      await this.#store.release(id, this.#holder).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.release(this.#entries.keys());
  }

  /** What is kept of a session, for whoever only asks where it is: one that cannot be decoded is found out when it is taken. */
  async #peek(id: string): Promise<KeptSession | undefined> {
    return this.#store.load(id).catch((error: unknown) => {
      if (isDamagedSession(error)) return undefined;
      throw error;
    });
  }

  async #setAside(id: string, why: string): Promise<LostState> {
    await this.#store.setAside(id, why, this.#now());
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.version = 0;
    const events = await this.#history(id).catch(() => []);
    return { ...lostStateOf(why, events), note: LOST_NOTE };
  }

  async #take(id: string): Promise<TakenSession | undefined> {
    await this.#lease(id);
    let kept: KeptSession | undefined;
    try {
      kept = await this.#store.load(id);
    } catch (error) {
      if (!isDamagedSession(error)) throw error;
      const lost = await this.#setAside(id, errorText(error));
      this.#entries.set(id, { version: 0, writer: new StateWriter(), saving: Promise.resolve(), beside: {} });
      return { lost, agent: "", beside: {} };
    }
    const { version = 0, snapshot = "", beside = {} } = kept ?? {};
    this.#entries.set(id, { version, writer: new StateWriter(), saving: Promise.resolve(), beside });
    return snapshot === "" ? undefined : { snapshot, agent: asString(beside.agent), beside: asObject(beside.own) };
  }

  async #lease(id: string): Promise<void> {
    let over: string | undefined;
    const until = performance.now() + this.#patienceMs;
    for (;;) {
      const now = this.#now();
      const wish = { holder: this.#holder, until: now + LEASE_MS, now };
      const lease = await this.#store.lease(id, { ...wish, ...(over === undefined ? {} : { over }) });
      if (lease.holder === this.#holder) return;
      if (isGone(lease.holder)) over = lease.holder;
      else if (performance.now() >= until) throw heldBy(lease, id);
      else await sleep(LOOK_MS);
    }
  }

  /** From the top: when we are cut off in between, those above know of more than happened, never of less. */
  async #saveAll(session: Session, beside: JsonObject): Promise<void> {
    for (let above = session.parent; above !== undefined; above = above.parent) {
      if (above instanceof Session && this.#entries.has(above.id)) await this.#queue(above);
    }
    await this.#queue(session, beside);
  }

  /** One after the other; what has not changed since is not written again. */
  #queue(session: Session, beside?: JsonObject): Promise<void> {
    const entry = this.#entries.get(session.id);
    if (entry === undefined) return Promise.reject(new Error(`session ${session.id} is not held by this process`));
    entry.session = session;
    if (beside !== undefined) entry.beside = { ...entry.beside, ...beside };
    entry.saving = entry.saving.then(() => this.#save(session, entry));
    entry.saving.catch(() => undefined);
    return entry.saving;
  }

  async #save(session: Session, entry: Entry): Promise<void> {
    const snapshot = session.snapshot();
    const { beside, writer } = entry;
    const text = JSON.stringify(beside);
    if (entry.saved?.slices === snapshot.slices && entry.saved.beside === text) return;
    const state = () => ({ beside, expectedVersion: entry.version, at: this.#now() });
    const { id } = session;
    try {
      // One that has ended leaves its name and nothing else.
      if (session.ended) await this.#written(id, this.#store.save(id, { snapshot: "", ...state() }));
      else
        await writer.write(snapshot, {
          save: (whole) => this.#written(id, this.#store.save(id, { snapshot: whole, ...state() })),
          append: (change) => this.#written(id, this.#store.append(id, { change, ...state() })),
        });
    } catch (error) {
      this.#onLost(id);
      throw error;
    }
    entry.version += 1;
    entry.saved = { slices: snapshot.slices, beside: text };
  }

  async #written(id: string, writing: Promise<boolean>): Promise<void> {
    if (!(await writing)) throw new Error(`another process has decided for session ${id} in the meantime`);
  }
}

/** Whose child it is; `undefined` for one that has ended. */
function aboveOf({ ended, parent }: Session): { readonly parent?: string } | undefined {
  if (ended) return undefined;
  return parent === undefined ? {} : { parent: parent.id };
}

function parentIn(text: string): { readonly parent?: string } | undefined {
  const snapshot = parseSnapshot(text);
  if ("fault" in snapshot) return undefined;
  const { parent } = snapshot.slices.get(identitySlice);
  return parent === undefined ? {} : { parent };
}

function heldBy({ holder }: Lease, id: string): Error {
  const [, pid = "?"] = holder.split("/");
  return new Error(`another process (${pid}) decides for session ${id}: end it, or wait until it has ended`);
}
