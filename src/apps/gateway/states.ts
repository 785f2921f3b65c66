import { errorText } from "../../base/kernel/error-text.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { SessionsStore } from "../../base/ports/sessions.ts";
import type { Session } from "../../engine/moments/session.ts";

/** Sessions' state between two processes. */
export type SessionStates = {
  load(session: string): Promise<string | undefined>;
  save(session: string, snapshot: string): Promise<void>;
};

/** Sessions' state in the store. A gateway is the only one that decides for its conversations; a save that comes second is refused. */
export function keptStates(sessions: Pick<SessionsStore, "load" | "save">, clock: Clock): SessionStates {
  const versions = new Map<string, number>();
  return {
    async load(id) {
      const kept = await sessions.load(id);
      versions.set(id, kept?.version ?? 0);
      return kept?.snapshot;
    },
    async save(id, snapshot) {
      const expectedVersion = versions.get(id) ?? 0;
      const saved = await sessions.save(id, { snapshot, beside: {}, expectedVersion, at: clock.now() });
      if (!saved)
        throw new Error(`another process has saved session '${id}' since: two gateways must not share one store`);
      versions.set(id, expectedVersion + 1);
    },
  };
}

/** What it needs of a session. */
type Kept = Pick<Session, "id" | "snapshot" | "serialise" | "notice">;

/** Keeps the state of one session. Saves follow each other; those that are wanted while one is under way are one. */
export class StateKeeper {
  readonly #session: Kept;
  readonly #states: SessionStates;
  #saving: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #kept: unknown;

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
    const { slices } = this.#session.snapshot();
    if (slices === this.#kept) return Promise.resolve();
    const saving = this.#states.save(this.#session.id, this.#session.serialise()).then(() => {
      this.#kept = slices;
    });
    this.#saving = saving.finally(() => {
      this.#saving = undefined;
    });
    // Whoever waits for it hears of a failure.
    this.#saving.catch(() => undefined);
    return this.#saving;
  }
}
