import type { PersistentMap } from "../kernel/persistent-map.ts";
import type { Budget, Exhausted, ScopeUse, Usage } from "./budget.ts";
import type { CallRecord } from "./call.ts";
import type { SessionClassification } from "./classification.ts";
import type { Modes } from "./modes.ts";

/** Evidence of an action in this session. `last` is its latest settled run. */
export type Evidence = { readonly ok: number; readonly lastOkAt: number; readonly last: "ok" | "failed" | "unknown" };

/** Read-only view of a session for policies, providers and checkers. */
export type SessionView = {
  readonly id: string;
  readonly parent?: string;
  readonly agent: string;
  readonly user?: string;
  readonly channel: string;
  /** The user's time zone as given; UTC if it is missing or invalid. */
  readonly zone?: string;
  /** Title of the conversation, once classified. */
  readonly label?: string | undefined;
  readonly classification?: SessionClassification | undefined;
  /** The classification that selects sections of the prompt. A subagent's session has its parent's. */
  readonly held?: SessionClassification | undefined;
  /** Custom values of the session, for tags of the dimension `custom`. */
  readonly custom: readonly string[];
  /** The first and the newest messages of the person, each cut. */
  readonly messages?: readonly string[];
  readonly turn: number;
  readonly now: number;
  readonly startedAt: number;
  /** The earlier one of the turn's and the session's. */
  readonly deadline?: number;
  readonly modes: Modes;
  readonly usage: Usage;
  readonly budget: Budget;
  /** Every scope with limits. Default: the session's budget and usage. */
  readonly scopes?: readonly ScopeUse[];
  /** The first exceeded limit, if any. */
  readonly exhausted?: Exhausted | undefined;
  /** Calls of the current agent, including denied ones. */
  readonly callCount: number;
  /** The newest calls of the current agent, oldest first. */
  recentCalls(n: number): readonly CallRecord[];
  /** Evidence of an action or tool; `undefined` if it never ran to an end. */
  evidence(action: string): Evidence | undefined;
};

/** A session value: JSON, with persistent maps for data that grows. Immutable. */
export type State =
  | null
  | boolean
  | number
  | string
  | readonly State[]
  | PersistentMap<State>
  | { readonly [key: string]: State | undefined };

/** One part of a session's state. `restore` rolls back STATE but not LOG, which records what really happened. */
export type Slice<T extends State = State> = {
  readonly name: string;
  readonly kind: "STATE" | "LOG";
  readonly initial: T;
  /** Index among the slices of its kind, in this process. */
  readonly place: number;
};
