import { isSameJson } from "../../../base/kernel/canonical-json.ts";
import { parseObject } from "../../../base/kernel/json.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { UsersStore } from "../../../base/ports/stores/users.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import type { SessionSaves } from "../../../engine/session/persistent-session.ts";

/** Long enough for a database that is restarted. */
const PATIENCE_MS = 30_000;
const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 2_000;

/** The store did not come back in time. The message is shown to the person who waits; the cause is for the operator. */
export class StoreAwayError extends Error {}

type Patiently = <T>(run: (isAgain: boolean) => Promise<T>) => Promise<T>;

/**
 * Wraps a store that may be unavailable for a moment: every call waits until it is back. If the response to a write
 * was lost, the row is looked up before writing again, so nothing is stored twice.
 */
export function patientConversations(store: ConversationsStore, patienceMs = PATIENCE_MS): ConversationsStore {
  const patiently = waitFor(patienceMs);
  return {
    ...everyMethod(store, patiently),
    create: (conversation) =>
      patiently(async (isAgain) => {
        if (isAgain && (await store.read(conversation.id)) !== undefined) return;
        await store.create(conversation);
      }),
    append: (id, after, entries, when) =>
      patiently(async (isAgain) => {
        if (await store.append(id, after, entries, when)) return true;
        if (!isAgain) return false;
        const written = (await store.transcript(id)).slice(after).map(({ entry }) => entry);
        return isSameJson(written, entries);
      }),
    addTurn: (turn) =>
      patiently(async (isAgain) => (isAgain ? await store.turn(turn.id) : undefined) ?? (await store.addTurn(turn))),
  };
}

/** The same for users. Adding or taking a key is not retried, because that could happen twice. */
export function patientUsers(store: UsersStore, patienceMs = PATIENCE_MS): UsersStore {
  const patiently = waitFor(patienceMs);
  return {
    ...everyMethod(store, patiently),
    add: (user) =>
      patiently(async (isAgain) => {
        const added = await store.add(user);
        return isAgain && added === "exists" && isSameJson(await store.read(user.id), user) ? "added" : added;
      }),
    addKey: (key) => store.addKey(key),
    takeKey: (hash) => store.takeKey(hash),
  };
}

/** The same for session state. */
export function patientSessions(store: SessionSaves["store"], patienceMs = PATIENCE_MS): SessionSaves["store"] {
  const patiently = waitFor(patienceMs);
  /** A retry that is rejected as a conflict may mean that the first write succeeded. */
  const isThere = async (id: string, version: number, isIt: (snapshot: string) => boolean) => {
    const saved = await store.load(id);
    return saved?.version === version && isIt(saved.snapshot);
  };
  return {
    ...everyMethod(store, patiently),
    save: (id, state) =>
      patiently(async (isAgain) => {
        if (await store.save(id, state)) return true;
        return isAgain && isThere(id, state.expectedVersion + 1, (snapshot) => snapshot === state.snapshot);
      }),
    append: (id, given) =>
      patiently(async (isAgain) => {
        if (await store.append(id, given)) return true;
        return isAgain && isThere(id, given.expectedVersion + 1, (snapshot) => isMomentOf(snapshot, given.change));
      }),
  };
}

function everyMethod<T extends object>(store: T, patiently: Patiently): T {
  const methods = Object.entries(store).map(([name, method]) => [
    name,
    (...given: readonly unknown[]) => patiently(async () => method(...given)),
  ]);
  return Object.fromEntries(methods);
}

/** Whether both belong to the same moment of the same run. */
function isMomentOf(snapshot: string, change: string): boolean {
  const [one, other] = [parseObject(snapshot), parseObject(change)];
  return isSameJson([one?.at, one?.point], [other?.at, other?.point]) && one?.point !== undefined;
}

function waitFor(patienceMs: number): Patiently {
  return async (run) => {
    const until = performance.now() + patienceMs;
    for (let tries = 0; ; tries++) {
      try {
        return await run(tries > 0);
      } catch (error) {
        if (!isAway(error)) throw error;
        if (performance.now() >= until)
          throw new StoreAwayError("the gateway's store does not respond. Send it again in a moment", { cause: error });
      }
      const wait = Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
      await new Promise((resolve) => setTimeout(resolve, wait * (1 - Math.random() * 0.25)));
    }
  };
}

function isAway(error: unknown): boolean {
  return error instanceof StoreError && (error.code === "STORE_UNAVAILABLE" || error.code === "STORE_BUSY");
}
