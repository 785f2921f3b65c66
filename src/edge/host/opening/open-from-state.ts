import { errorText } from "../../../base/kernel/error-text.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { type LostState, lostStateOf } from "../../../engine/moments/lost-state.ts";
import type { Session } from "../../../engine/moments/session.ts";
import { SessionError, type SessionOptions } from "../../../engine/moments/session-options.ts";
import { isDamagedSession } from "../../stores/sql/store-error.ts";
import type { SessionKeeper, TakenSession } from "../daemon/session-keeper.ts";

/** What a session begins with: its state, what is left of a damaged one, or nothing. */
type Beginning = Pick<SessionOptions, "snapshot" | "lost">;

export type StateSource = {
  load(): Promise<string | undefined>;
  open(from: Beginning): Session;
  /** Keeps the state as evidence. */
  setAside(why: string): Promise<void>;
  history(): Promise<readonly ConductEvent[]>;
};

/**
 * Opens a session as it was left. A state that cannot be decoded or used, also one of a newer version, is set aside as evidence, and the
 * session begins anew with what its events tell. Rejects only when the store cannot be used.
 */
export async function openFromState(
  source: StateSource,
): Promise<{ readonly session: Session; readonly lost?: LostState }> {
  const loaded = await source.load().then(
    (snapshot) => ({ snapshot }),
    (error: unknown) => {
      if (isDamagedSession(error)) return { why: errorText(error) };
      throw error;
    },
  );
  let why: string;
  if ("why" in loaded) why = loaded.why;
  else {
    const { snapshot } = loaded;
    if (snapshot === undefined) return { session: source.open({}) };
    try {
      return { session: source.open({ snapshot }) };
    } catch (error) {
      why = whyUnusable(error);
    }
  }
  await source.setAside(why);
  const lost = lostStateOf(why, await source.history().catch(() => []));
  return { session: source.open({ lost }), lost };
}

/** The same for what a keeper has taken. */
export async function openTaken(
  id: string,
  taken: TakenSession | undefined,
  keeper: SessionKeeper | undefined,
  open: (from: Beginning) => Session,
): Promise<Session> {
  if (taken === undefined || keeper === undefined) return open({});
  if ("lost" in taken) return open({ lost: taken.lost });
  try {
    return open({ snapshot: taken.snapshot });
  } catch (error) {
    return open({ lost: await keeper.setAside(id, whyUnusable(error)) });
  }
}

/** Throws the error again unless it says that the state cannot be used. */
function whyUnusable(error: unknown): string {
  const isState = error instanceof SessionError && /^(snapshot-|foreign-snapshot$)/.test(error.code);
  if (!isState) throw error;
  return error.message.replace(/\. Nothing was opened;.*$/s, "");
}
