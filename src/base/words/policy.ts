import type { Filesystem } from "../ports/filesystem.ts";
import type { Outcome, ToolCall } from "./call.ts";
import type { Advice, DenyCode, Lifted, Missing } from "./decision.ts";
import type { Facts } from "./facts.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Permissions } from "./modes.ts";
import type { Requirement, ToolResult } from "./result.ts";
import type { Effect, Place } from "./rule.ts";
import type { SessionView, State } from "./session-view.ts";

/** A rule that is not satisfied by a call. */
export type RuleFinding = {
  readonly rule: string;
  readonly effect: Effect;
  readonly reason: string;
  readonly missing: readonly Missing[];
  readonly next: string;
  readonly key: string;
  readonly place?: Place;
};

/** A policy's own answer; the engine turns the answers of all policies into one `Decision`. */
export type PolicyDecision =
  | {
      readonly kind: "allow";
      readonly advice?: readonly Advice[];
      /** It is an allow only because the permissions lift this. */
      readonly lifted?: Lifted;
    }
  | {
      readonly kind: "deny";
      readonly reason: string;
      readonly code?: DenyCode;
      readonly missing?: readonly Missing[];
      readonly next?: string;
      /** What counts as the same attempt; the call's arguments when left out. */
      readonly key?: string;
    }
  | {
      readonly kind: "ask";
      readonly question: string;
      /** What a person's no covers for the rest of the session; this very input when left out. */
      readonly key?: string;
    }
  /** Many rules at once: each with its own effect, and the arguments as they rewrite them. `memo` comes back at `onDecided`. */
  | {
      readonly kind: "rules";
      readonly findings: readonly RuleFinding[];
      readonly input?: JsonObject;
      readonly memo?: unknown;
    };

/** What a policy may look at. `state` is its own and nobody else's. */
export type PolicyContext<S extends State = State> = {
  readonly state: S;
  readonly facts: Facts;
  readonly session: SessionView;
  readonly permissions: Permissions;
};

/** After a result there are two sets of facts: those the call was decided on, and those found when it had run. */
export type PolicyResultContext<S extends State = State> = PolicyContext<S> & { readonly factsAtCall: Facts };

/** What came with the end of a call: absent where it had no result. */
export type Settled = { readonly resultHash?: string; readonly requirement?: Requirement };

/**
 * Decides on calls. `check` and `onResult` are synchronous and pure; whatever has to wait belongs in `gather`.
 * `onResult` runs after an ok outcome only, once the call's step has closed, and returns the new state.
 */
export interface ToolPolicy<S extends State = State> {
  readonly name: string;
  readonly initial?: S;
  /** Its answers may carry `input`: the call is then read again with these arguments, and everything is decided on that. */
  readonly rewrites?: boolean;
  /** Evidence this policy holds is forgotten when the runtime compacts the conversation. */
  readonly rearmOnCompaction?: boolean;
  gather?(call: ToolCall, ports: { readonly filesystem?: Filesystem }, signal: AbortSignal): Promise<Json>;
  check(call: ToolCall, context: PolicyContext<S>): PolicyDecision;
  onResult?(call: ToolCall, result: ToolResult, context: PolicyResultContext<S>): S;
  /** After every decision on a call that this policy was asked about. */
  onDecided?(
    call: ToolCall,
    decided: { readonly kind: "allow" | "ask" | "deny"; readonly memo: unknown },
    context: PolicyContext<S>,
  ): S;
  /** When an admitted call is over, whatever its outcome; at once, not at the end of its step. */
  onSettled?(call: ToolCall, outcome: Outcome, context: PolicyContext<S> & Settled): S;
}
