import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { User } from "../../../src/base/words/hosting/user.ts";
import { QueryCache } from "./cache.ts";
import { conversation, everything, type LiveState, LiveStream, type LiveUpdate } from "./live.ts";
import { staleAfter } from "./stale-after.ts";
import { roomOf } from "./touched.ts";

/** What every part of the console shares: who is signed in, what is known, what happens now. */
export type Store = {
  readonly user: User;
  readonly cache: QueryCache;
  /** Everything for operators and viewers; nothing for users, who follow their own conversations. */
  readonly live: LiveStream | undefined;
  readonly signOut: () => void;
};

const StoreContext = createContext<Store | undefined>(undefined);

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === undefined) throw new Error("outside of StoreProvider");
  return store;
}

export function useUser(): User {
  return useStore().user;
}

/** Whether the signed-in person may change what agents do. */
export function useIsOperator(): boolean {
  return useUser().role === "operator";
}

/** `signedOut` is called when the gateway no longer knows the browser. */
export function StoreProvider({
  user,
  expired,
  signedOut,
  children,
}: {
  readonly user: User;
  /** The login has ended; when this becomes false again everything on the screen is asked for anew. */
  readonly expired: boolean;
  readonly signedOut: () => void;
  readonly children: ReactNode;
}) {
  const store = useMemo<Store>(
    () => ({
      user,
      cache: new QueryCache(signedOut),
      live: user.role === "user" ? undefined : new LiveStream(everything, signedOut),
      signOut: signedOut,
    }),
    [user, signedOut],
  );
  useEffect(() => keepFresh(store), [store]);
  const wasExpired = useRef(false);
  useEffect(() => {
    if (wasExpired.current && !expired) {
      store.cache.invalidate(() => true);
      store.live?.retry();
    }
    wasExpired.current = expired;
  }, [store, expired]);
  return <StoreContext value={store}>{children}</StoreContext>;
}

/** A burst of events asks once. */
const GATHER_MS = 500;

/** What the stream tells makes answers stale; so does coming back to the page. */
function keepFresh({ cache, live }: Store): () => void {
  const rooms = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const touch = (touched: ReadonlySet<string>) => {
    for (const room of touched) rooms.add(room);
    if (rooms.size === 0) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      const now = new Set(rooms);
      rooms.clear();
      cache.invalidate((route) => now.has("*") || now.has(roomOf(route)));
    }, GATHER_MS);
  };
  const stale = staleAfter();
  const leave = live?.subscribe((update) => touch(stale(update)));
  const look = () => document.visibilityState === "visible" && touch(new Set(["contract", "candidates", "approvals"]));
  document.addEventListener("visibilitychange", look);
  return () => {
    clearTimeout(timer);
    leave?.();
    document.removeEventListener("visibilitychange", look);
  };
}

/** Whether the stream is there. */
export function useLiveState(): LiveState | "none" {
  const { live } = useStore();
  return useSyncExternalStore(
    (listener) => live?.onState(listener) ?? (() => undefined),
    () => live?.state ?? "none",
  );
}

/** Hears what happens: everything, or for a user the conversation that is named. `listener` has to be stable. */
export function useLive(listener: (update: LiveUpdate) => void, session?: string): LiveState {
  const { live, signOut } = useStore();
  const own = useMemo(
    () => live ?? (session === undefined ? undefined : new LiveStream(conversation(session), signOut, true)),
    [live, session, signOut],
  );
  useEffect(() => own?.subscribe(listener), [own, listener]);
  const [idle] = useState(() => () => () => undefined);
  return useSyncExternalStore(
    own === undefined ? idle : (changed) => own.onState(changed),
    () => own?.state ?? "connecting",
  );
}
