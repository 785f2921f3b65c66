import type { SessionState } from "../../base/ports/sessions.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Session } from "../../engine/moments/session.ts";

/** What was kept of a session: to open it with, and what its adapter had put beside it. */
export type TakenSession = Pick<SessionState, "snapshot"> & { readonly agent: string; readonly beside: JsonObject };

/** Keeps sessions beyond this process, and sees to it that no two processes decide for one. */
export type SessionKeeper = {
  /** What was kept, once this process is the one that decides; `undefined` for a new one. Rejects, naming the other, when it is not. */
  take(id: string): Promise<TakenSession | undefined>;
  /** Kept when it resolves, and those above it with it. When it rejects, what was decided since must not be told to anybody. */
  save(session: Session, beside: JsonObject): Promise<void>;
};
