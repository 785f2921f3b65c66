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
