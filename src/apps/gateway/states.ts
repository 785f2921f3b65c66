import type { Clock } from "../../base/ports/clock.ts";
import type { SessionsStore } from "../../base/ports/sessions.ts";

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
