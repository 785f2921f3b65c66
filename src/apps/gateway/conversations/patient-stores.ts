import { isDeepStrictEqual } from "node:util";
import { parseObject } from "../../../base/kernel/json.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { SessionsStore } from "../../../base/ports/stores/sessions.ts";
import type { UsersStore } from "../../../base/ports/stores/users.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";

/** Long enough for a database that is restarted. */
const PATIENCE_MS = 30_000;
const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 2_000;

/** The store did not come back in time, in words for whoever waits; the cause is for the operator. */
export class StoreAwayError extends Error {}

/**
 * Conversations on a store that may go away for a moment: everything waits until it is back. A write whose answer was lost is
 * looked up before it is written again, so that nothing is in there twice.
 */
export function patientConversations(store: ConversationsStore, patienceMs = PATIENCE_MS): ConversationsStore {
  const patiently = waitFor(patienceMs);
  return {
    create: (conversation) =>
      patiently(async (isAgain) => {
        if (isAgain && (await store.read(conversation.id)) !== undefined) return;
        await store.create(conversation);
      }),
    read: (id) => patiently(() => store.read(id)),
    at: (channel, address) => patiently(() => store.at(channel, address)),
    list: (query) => patiently(() => store.list(query)),
    append: (id, after, entries) =>
      patiently(async (isAgain) => {
        if (await store.append(id, after, entries)) return true;
        if (!isAgain) return false;
        const kept = await store.transcript(id);
        return isDeepStrictEqual(
          kept.slice(after).map(({ entry }) => entry),
          entries,
        );
      }),
    transcript: (id) => patiently(() => store.transcript(id)),
    addTurn: (turn) =>
      patiently(async (isAgain) => (isAgain ? await store.turn(turn.id) : undefined) ?? (await store.addTurn(turn))),
    updateTurn: (turn) => patiently(() => store.updateTurn(turn)),
    turn: (id) => patiently(() => store.turn(id)),
    turns: (query) => patiently(() => store.turns(query)),
    openTurns: () => patiently(() => store.openTurns()),
    remove: (id) => patiently(() => store.remove(id)),
  };
}

/** Users in such a store. What would be done twice, or given to nobody, is not tried again. */
export function patientUsers(store: UsersStore, patienceMs = PATIENCE_MS): UsersStore {
  const patiently = waitFor(patienceMs);
  return {
    read: (id) => patiently(() => store.read(id)),
    byTelegram: (id) => patiently(() => store.byTelegram(id)),
    add: (user) =>
      patiently(async (isAgain) => {
        const added = await store.add(user);
        return isAgain && added === "exists" && isDeepStrictEqual(await store.read(user.id), user) ? "added" : added;
      }),
    change: (id, change) => patiently(() => store.change(id, change)),
    list: (query) => patiently(() => store.list(query)),
    addKey: (key) => store.addKey(key),
    readKey: (hash) => patiently(() => store.readKey(hash)),
    takeKey: (hash) => store.takeKey(hash),
    keysOf: (user) => patiently(() => store.keysOf(user)),
  };
}

/** Sessions' state in such a store. */
export function patientSessions(
  store: Pick<SessionsStore, "load" | "save" | "append" | "setAside">,
  patienceMs = PATIENCE_MS,
): Pick<SessionsStore, "load" | "save" | "append" | "setAside"> {
  const patiently = waitFor(patienceMs);
  /** What was refused the second time may have been written the first time. */
  const isThere = async (id: string, version: number, isIt: (snapshot: string) => boolean) => {
    const kept = await store.load(id);
    return kept?.version === version && isIt(kept.snapshot);
  };
  return {
    load: (id) => patiently(() => store.load(id)),
    setAside: (id, why, at) => patiently(() => store.setAside(id, why, at)),
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

/** Are they of the same moment of the same run? */
function isMomentOf(snapshot: string, change: string): boolean {
  const [one, other] = [parseObject(snapshot), parseObject(change)];
  return isDeepStrictEqual([one?.at, one?.point], [other?.at, other?.point]) && one?.point !== undefined;
}

function waitFor(patienceMs: number) {
  return async function patiently<T>(run: (isAgain: boolean) => Promise<T>): Promise<T> {
    const until = performance.now() + patienceMs;
    for (let tries = 0; ; tries++) {
      try {
        return await run(tries > 0);
      } catch (error) {
        if (!isAway(error)) throw error;
        if (performance.now() >= until)
          throw new StoreAwayError("the gateway's store does not answer; say it again in a moment", { cause: error });
      }
      const wait = Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
      await new Promise((resolve) => setTimeout(resolve, wait * (1 - Math.random() * 0.25)));
    }
  };
}

function isAway(error: unknown): boolean {
  return error instanceof StoreError && (error.code === "STORE_UNAVAILABLE" || error.code === "STORE_BUSY");
}
