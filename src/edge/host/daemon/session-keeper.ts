import type { SessionState } from "../../../base/ports/stores/sessions.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { LostState } from "../../../engine/moments/lost-state.ts";
import type { Session } from "../../../engine/moments/session.ts";

/** What was kept of a session: to open it with, and what its adapter had put beside it. `lost`: its state could not be decoded. */
export type TakenSession = { readonly agent: string; readonly beside: JsonObject } & (
  | Pick<SessionState, "snapshot">
  | { readonly lost: LostState }
);

/** Keeps sessions beyond this process, and sees to it that no two processes decide for one. */
export type SessionKeeper = {
  /** What was kept, once this process is the one that decides; `undefined` for a new one. Rejects, naming the other, when it is not. */
  take(id: string): Promise<TakenSession | undefined>;
  /** Keeps a state that cannot be used as evidence, and gives what is still known of the session. */
  setAside(id: string, why: string): Promise<LostState>;
  /** Kept when it resolves, and those above it with it. When it rejects, what was decided since must not be told to anybody. */
  save(session: Session, beside: JsonObject): Promise<void>;
};
