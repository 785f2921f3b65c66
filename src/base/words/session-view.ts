import type { PersistentMap } from "../kernel/persistent-map.ts";
import type { Budget, Exhausted, Usage } from "./budget.ts";
import type { CallRecord } from "./call.ts";
import type { SessionClassification } from "./classification.ts";
import type { Modes } from "./modes.ts";

/** What is known of an action in this session. `last` is the latest settled run of it. */
export type Evidence = { readonly ok: number; readonly lastOkAt: number; readonly last: "ok" | "failed" | "unknown" };

/** A session as policies, providers and checkers may see it: to read, never to change. */
export type SessionView = {
  readonly id: string;
  readonly parent?: string;
  readonly agent: string;
  readonly user?: string;
  readonly channel: string;
  /** The user's time zone as it was given; UTC when there is none or it does not exist. */
  readonly zone?: string;
  /** Title of the conversation, once it is classified. */
  readonly label?: string | undefined;
  readonly classification?: SessionClassification | undefined;
  /** Values set on the session, for tags of the dimension `custom`. */
  readonly custom: readonly string[];
  readonly turn: number;
  readonly now: number;
  readonly startedAt: number;
  readonly deadline?: number;
  readonly modes: Modes;
  readonly usage: Usage;
  readonly budget: Budget;
  /** The first limit that is used up, if any. */
  readonly exhausted?: Exhausted | undefined;
  /** Calls of the current agent, denied ones included. */
  readonly callCount: number;
  /** The newest calls of the current agent, oldest of them first. */
  recentCalls(n: number): readonly CallRecord[];
  /** What this session has proven of an action or tool; `undefined` when it never ran to an end. */
  evidence(action: string): Evidence | undefined;
};

/** A value that a session may keep: JSON, with persistent maps where it grows. Never changed in place. */
export type State =
  | null
  | boolean
  | number
  | string
  | readonly State[]
  | PersistentMap<State>
  | { readonly [key: string]: State | undefined };

/** One part of a session's state. STATE is rolled back by `restore`; LOG is kept, because it tells what really happened. */
export type Slice<T extends State = State> = {
  readonly name: string;
  readonly kind: "STATE" | "LOG";
  readonly initial: T;
  /** Where it stands among those of its kind, in this process. */
  readonly place: number;
};
