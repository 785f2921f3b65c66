import type { JsonObject } from "./json.ts";
import type { Place } from "./rule.ts";

/** Why a call was denied, for programs. */
export type DenyCode =
  | "policy"
  | "missing-prerequisite"
  | "not-read"
  | "stale-read"
  | "protected-path"
  | "outside-workspace"
  | "high-risk"
  | "policy-error"
  | "policy-timeout"
  | "gather-timeout"
  | "gather-error"
  | "bad-call"
  | "too-complex"
  | "session-ended"
  | "deadline"
  | "budget"
  | "withdrawn"
  | "human-no"
  | "state-full"
  | "unreachable";

/** One thing that would have to be there for the call to pass. */
export type Missing = { readonly what: string; readonly why: string };

/** Text for the model that rides on an allow. */
export type Advice = { readonly rule: string; readonly text: string; readonly level: "warn" | "remind" };

/** A restriction that an elevated session is free of. */
export type Lifted = "workspace" | "high-risk";

/** A rule that also objected. */
export type Objection = {
  readonly rule: string;
  readonly code: DenyCode;
  readonly reason: string;
  readonly place?: Place;
};

/** Why nothing is enforced: the runtime is only watched as yet, or the operator has paused Conduct. */
export type Observing = "shadow" | "paused";

/** What was decided on a call. `id` can be asked about later. */
export type Decision =
  | {
      readonly kind: "allow";
      readonly id: string;
      readonly advice: readonly Advice[];
      /** The arguments as rules have rewritten them: the call must be made with these. */
      readonly input?: JsonObject;
      /** Set when it is an allow only because the session is elevated, a person said yes, or nothing is enforced. */
      readonly because?: "elevated" | "approved" | Observing;
      /** What would have denied it, were the session not elevated. */
      readonly lifted?: readonly Lifted[];
    }
  | {
      readonly kind: "deny";
      readonly id: string;
      readonly rule: string;
      /** Where the rule stands, when it was read from a file. */
      readonly place?: Place;
      readonly code: DenyCode;
      readonly reason: string;
      readonly missing: readonly Missing[];
      readonly next: string;
      readonly others: readonly Objection[];
      readonly attemptsLeft: number;
      readonly endTurn: boolean;
    }
  | {
      readonly kind: "ask";
      readonly id: string;
      readonly rule: string;
      readonly place?: Place;
      readonly approval: string;
      readonly question: string;
      /** The arguments as rules have rewritten them. */
      readonly input?: JsonObject;
      readonly inputHash: string;
      readonly expiresAt: number;
      /** The command with which a person says yes, where the session can be reached from a terminal. */
      readonly answer?: string;
    };

export type Denial = Extract<Decision, { kind: "deny" }>;
export type Question = Extract<Decision, { kind: "ask" }>;
