import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { SessionsStore } from "../../../base/ports/stores/sessions.ts";
import { StateWriter } from "../../../edge/host/daemon/state-writer.ts";
import type { Session } from "../../../engine/moments/session.ts";

/** Sessions' state between two processes. */
export type SessionStates = {
  load(session: string): Promise<string | undefined>;
  /** Keeps what cannot be used as evidence; afterwards nothing is saved of it. */
  setAside(session: string, why: string): Promise<void>;
  save(session: string, snapshot: string): Promise<void>;
  /** What has changed since what was saved or added last. */
  append(session: string, change: string): Promise<void>;
  /** Its state is not needed any more until it is loaded again. */
  release(session: string): void;
};

/** Sessions' state in the store. A gateway is the only one that decides for its conversations; a save that comes second is refused. */
export function keptStates(
  sessions: Pick<SessionsStore, "load" | "save" | "append" | "setAside">,
  clock: Clock,
): SessionStates {
  const versions = new Map<string, number>();

  async function write(id: string, run: (expectedVersion: number, at: number) => Promise<boolean>): Promise<void> {
    const version = versions.get(id) ?? 0;
    if (!(await run(version, clock.now())))
      throw new Error(`another process has saved session '${id}' since: two gateways must not share one store`);
    versions.set(id, version + 1);
  }

  return {
    async load(id) {
      const kept = await sessions.load(id);
      versions.set(id, kept?.version ?? 0);
      return kept?.snapshot;
    },
    async setAside(id, why) {
      await sessions.setAside(id, why, clock.now());
      versions.set(id, 0);
    },
    save: (id, snapshot) =>
      write(id, (expectedVersion, at) => sessions.save(id, { snapshot, beside: {}, expectedVersion, at })),
    append: (id, change) => write(id, (expectedVersion, at) => sessions.append(id, { change, expectedVersion, at })),
    release: (id) => void versions.delete(id),
  };
}

/** What it needs of a session. */
type Kept = Pick<Session, "id" | "snapshot" | "notice">;

/** Keeps the state of one session. Saves follow each other; those that are wanted while one is under way are one. */
export class StateKeeper {
  readonly #session: Kept;
  readonly #states: SessionStates;
  #saving: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #writer = new StateWriter();

  constructor(session: Kept, states: SessionStates) {
    this.#session = session;
    this.#states = states;
  }

  /** Resolves when the state as it is now, or a later one, is in the store. */
  keep(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#saving === undefined) return this.#save();
    this.#next = this.#saving
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#save();
      });
    return this.#next;
  }

  /** Where it cannot be kept the operator is told; what is in it is kept with the next one. */
  async keepOrTell(): Promise<void> {
    await this.keep().catch((error: unknown) => {
      const fault = { where: "gateway", code: "state-not-kept", message: errorText(error) };
      this.#session.notice({ kind: "fault", fault });
    });
  }

  #save(): Promise<void> {
    const snapshot = this.#session.snapshot();
    if (this.#writer.isWritten(snapshot)) return Promise.resolve();
    const { id } = this.#session;
    const saving = this.#writer.write(snapshot, {
      save: (text) => this.#states.save(id, text),
      append: (change) => this.#states.append(id, change),
    });
    this.#saving = saving.finally(() => {
      this.#saving = undefined;
    });
    // Whoever waits for it hears of a failure.
    this.#saving.catch(() => undefined);
    return this.#saving;
  }
}
