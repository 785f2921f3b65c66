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
import { roomOf, touchedBy } from "./touched.ts";

const NOTHING: ReadonlySet<string> = new Set();
const ALL: ReadonlySet<string> = new Set(["*"]);
const OF_CONTRACT: ReadonlySet<string> = new Set([
  "governance",
  "contract",
  "candidates",
  "rules",
  "review",
  "adherence",
  "prompt",
  "attention",
]);
const OF_EVENTS = ["sessions", "events", "overview", "figures", "journal", "decisions", "switches"] as const;

/**
 * Returns which route groups are stale after an update. Remembers the contract's hash, to notice changes made
 * elsewhere.
 */
function staleAfter(): (update: LiveUpdate) => ReadonlySet<string> {
  const hashes = new Map<string, string>();
  return (update) => {
    if (update.kind === "resumed") return ALL;
    if (update.kind === "turn") return new Set(["sessions", "attention", "overview"]);
    if (update.kind === "contract") return OF_CONTRACT;
    if (update.kind === "agent") return touchedBy("PUT /api/agents/{name}");
    if (update.kind === "approval") return new Set(["approvals"]);
    if (update.kind !== "event") return NOTHING;
    const { event } = update;
    const rooms = new Set<string>(OF_EVENTS);
    if (event.type === "directive") rooms.add("contract").add("candidates");
    // The counts of denials and shadow denials of a standing rule have changed.
    if (event.type === "call" && (event.decision.kind === "deny" || event.shadows !== undefined)) rooms.add("rules");
    if (event.type === "fault") rooms.add("governance");
    if (event.type === "approval" || (event.type === "call" && event.decision.kind === "ask")) rooms.add("approvals");
    if (event.type === "instructions") rooms.add("instructions");
    if (event.type === "memory") rooms.add("memory");
    if (event.type === "prompt" && event.contract !== undefined) {
      const before = hashes.get(event.session);
      if (before !== event.contract.hash) rooms.add("contract");
      hashes.set(event.session, event.contract.hash);
    }
    return rooms;
  };
}

type Store = {
  readonly user: User;
  readonly cache: QueryCache;
  /** All updates for operators and viewers; `undefined` for users, who follow their own conversations. */
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

export function useIsOperator(): boolean {
  return useUser().role === "operator";
}

/** `signedOut` is called when the gateway rejects the login. */
export function StoreProvider({
  user,
  expired,
  signedOut,
  children,
}: {
  readonly user: User;
  /** The login has expired. When this becomes false again, everything on the screen is fetched again. */
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

/** Events within this time cause one fetch. */
const GATHER_MS = 500;

/** Marks responses as stale on stream updates, and when the page becomes visible again. */
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

export function useLiveState(): LiveState | "none" {
  const { live } = useStore();
  return useSyncExternalStore(
    (listener) => live?.onState(listener) ?? (() => undefined),
    () => live?.state ?? "none",
  );
}

/** Subscribes to all updates, or for users to those of the given conversation. `listener` must be stable. */
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
