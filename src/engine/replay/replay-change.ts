import type { Cause, ChangeKind } from "./compare-decisions.ts";
import type { EventOf, Said } from "./replay-session.ts";

/** Why nobody can say what would be decided, for programs. */
export type UnknownCode =
  | "outcome"
  | "fact"
  | "redacted"
  | "budget"
  | "history"
  | "policy"
  | "policy-failed"
  | "results"
  | "unreadable";

/** One call on which something else would be decided, or may be. */
export type ReplayChange = {
  /** Id of the recorded decision: `conduct why` shows it. */
  readonly decision: string;
  readonly call: string;
  readonly at: number;
  readonly turn: number;
  readonly tool: string;
  readonly args: EventOf<"call">["call"]["args"];
  readonly agent: string;
  readonly was: Said;
} & (
  | {
      readonly kind: ChangeKind;
      readonly now: Said;
      readonly causes: readonly Cause[];
      /** The decision without whose change this one would be as it was. */
      readonly follows?: string;
    }
  | { readonly kind: "cannot-tell"; readonly code: UnknownCode; readonly why: string; readonly follows?: string }
);

/** The call that a change is told of. */
export function placeOf({ decision, call, at, turn, agent }: EventOf<"call">) {
  return { decision: decision.id, call: call.id, at, turn, tool: call.tool, args: call.args, agent };
}

/** What is told of a call, without the call. */
export type Verdict =
  | Pick<Extract<ReplayChange, { kind: ChangeKind }>, "kind" | "now" | "causes" | "follows">
  | Pick<Extract<ReplayChange, { kind: "cannot-tell" }>, "kind" | "code" | "why" | "follows">;

export type SessionReplay = {
  readonly session: string;
  readonly agent: string;
  readonly channel?: string;
  readonly startedAt: number;
  readonly calls: number;
  readonly changes: readonly ReplayChange[];
};

export type ReplayWindow = { readonly since?: number; readonly until?: number };
