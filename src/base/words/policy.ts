import type { Filesystem } from "../ports/filesystem.ts";
import type { ToolCall } from "./call.ts";
import type { Advice, DenyCode, Missing } from "./decision.ts";
import type { Facts } from "./facts.ts";
import type { Json } from "./json.ts";
import type { Permissions } from "./modes.ts";
import type { ToolResult } from "./result.ts";
import type { SessionView } from "./session-view.ts";
import type { State } from "./slice.ts";

/** A policy's own answer; the engine turns the answers of all policies into one `Decision`. */
export type PolicyDecision =
  | { readonly kind: "allow"; readonly advice?: readonly Advice[] }
  | {
      readonly kind: "deny";
      readonly reason: string;
      readonly code?: DenyCode;
      readonly missing?: readonly Missing[];
      readonly next?: string;
      /** What counts as the same attempt; the call's arguments when left out. */
      readonly key?: string;
    }
  | { readonly kind: "ask"; readonly question: string };

/** What a policy may look at. `state` is its own and nobody else's. */
export type PolicyContext<S extends State = State> = {
  readonly state: S;
  readonly facts: Facts;
  readonly session: SessionView;
  readonly permissions: Permissions;
};

/** After a result there are two sets of facts: those the call was decided on, and those found when it had run. */
export type PolicyResultContext<S extends State = State> = PolicyContext<S> & { readonly factsAtCall: Facts };

/**
 * Decides on calls. `check` and `onResult` are synchronous and pure; whatever has to wait belongs in `gather`.
 * `onResult` runs after an ok outcome only, once the call's step has closed, and returns the new state.
 */
export interface ToolPolicy<S extends State = State> {
  readonly name: string;
  readonly initial?: S;
  /** Evidence this policy holds is forgotten when the runtime compacts the conversation. */
  readonly rearmOnCompaction?: boolean;
  gather?(call: ToolCall, ports: { readonly filesystem?: Filesystem }, signal: AbortSignal): Promise<Json>;
  check(call: ToolCall, context: PolicyContext<S>): PolicyDecision;
  onResult?(call: ToolCall, result: ToolResult, context: PolicyResultContext<S>): S;
}
