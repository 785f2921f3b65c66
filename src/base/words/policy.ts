import type { Filesystem } from "../ports/filesystem.ts";
import type { Outcome, ToolCall } from "./call.ts";
import type { Advice, DenyCode, Lifted, Missing } from "./decision.ts";
import type { Facts } from "./facts.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Permissions } from "./modes.ts";
import type { Requirement, ToolResult } from "./result.ts";
import type { Effect, Place } from "./rule.ts";
import type { SessionView, State } from "./session-view.ts";

/** One rule's objection to a call. */
export type RuleFinding = {
  readonly rule: string;
  readonly effect: Effect;
  readonly reason: string;
  readonly missing: readonly Missing[];
  readonly next: string;
  readonly key: string;
  readonly place?: Place;
  /** A person may allow it for the session: every call with the same key, or without one, this exact call. */
  readonly always?: { readonly key?: string };
};

/** One policy's answer; the engine merges the answers of all policies into one `Decision`. */
export type PolicyDecision =
  | {
      readonly kind: "allow";
      readonly advice?: readonly Advice[];
      /** Set if the call is allowed only because the permissions lift this restriction. */
      readonly lifted?: Lifted;
    }
  | {
      readonly kind: "deny";
      readonly reason: string;
      readonly code?: DenyCode;
      readonly missing?: readonly Missing[];
      readonly next?: string;
      /** Identifies repeated attempts. Default: the call's arguments. */
      readonly key?: string;
    }
  | {
      readonly kind: "ask";
      readonly question: string;
      /** The scope of a person's "no" for the rest of the session. Default: this exact input. */
      readonly key?: string;
    }
  /** Findings of many rules, each with its own effect, and the rewritten arguments. `memo` is passed to `onDecided`. */
  | {
      readonly kind: "rules";
      readonly findings: readonly RuleFinding[];
      readonly input?: JsonObject;
      readonly memo?: unknown;
    };

/** Input of a policy. `state` is private to the policy. */
export type PolicyContext<S extends State = State> = {
  readonly state: S;
  readonly facts: Facts;
  readonly session: SessionView;
  readonly permissions: Permissions;
};

/** Adds the facts that the call was decided on; `facts` were gathered after it ran. */
export type PolicyResultContext<S extends State = State> = PolicyContext<S> & { readonly factsAtCall: Facts };

/** Data from the end of a call; absent without a result. */
export type Settled = {
  readonly resultHash?: string;
  readonly exitCode?: number;
  readonly requirement?: Requirement;
  /** The output says that no test ran: an ok outcome proves no tests. */
  readonly noTests?: true;
  /** When the call was decided. */
  readonly began?: number;
};

/**
 * Decides on calls. `check` and `onResult` are synchronous and pure; asynchronous work belongs in `gather`. `onResult`
 * runs only after an ok outcome, once the call's step has closed, and returns the new state.
 */
export interface ToolPolicy<S extends State = State> {
  readonly name: string;
  readonly initial?: S;
  /**
   * Answers may contain `input`: the call is then parsed again with these arguments, and every policy decides on that.
   */
  readonly rewrites?: boolean;
  /** Discards this policy's evidence when the runtime compacts the conversation. */
  readonly rearmOnCompaction?: boolean;
  /** Collects facts before `check`, within a time limit. Its value is in `context.facts`. */
  gather?(call: ToolCall, ports: { readonly filesystem?: Filesystem }, signal: AbortSignal): Promise<Json>;
  /** Whether `facts.workspace` is needed: to decide on this call, or to remember what its result proves. */
  needsWorkspace?(call: ToolCall, moment: "call" | "result"): boolean;
  /** Decides on a call from its arguments, the facts and this policy's state. */
  check(call: ToolCall, context: PolicyContext<S>): PolicyDecision;
  /** Returns the new state after a call that ended ok. */
  onResult?(call: ToolCall, result: ToolResult, context: PolicyResultContext<S>): S;
  /** Called after every decision on a call that this policy checked. */
  onDecided?(
    call: ToolCall,
    decided: { readonly kind: "allow" | "ask" | "deny"; readonly memo: unknown },
    context: PolicyContext<S>,
  ): S;
  /** Called as soon as an admitted call ends, whatever its outcome; does not wait for its step. */
  onSettled?(call: ToolCall, outcome: Outcome, context: PolicyContext<S> & Settled): S;
}
