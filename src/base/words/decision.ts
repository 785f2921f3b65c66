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

/** A requirement that is not met, and why. */
export type Missing = { readonly what: string; readonly why: string };

/** Text for the model that accompanies an allow. */
export type Advice = { readonly rule: string; readonly text: string; readonly level: "warn" | "remind" };

/** A restriction that does not apply to elevated sessions. */
export type Lifted = "workspace" | "high-risk";

export type Objection = {
  readonly rule: string;
  readonly code: DenyCode;
  readonly reason: string;
  readonly place?: Place;
  /** Only recorded: the rule would have asked a person instead of denying. */
  readonly asks?: true;
};

/** Why nothing is enforced: the runtime is only watched, or the operator paused Conduct. */
export type Observing = "shadow" | "paused";

/** The decision on a call. Use `id` to look it up later. */
export type Decision =
  | {
      readonly kind: "allow";
      readonly id: string;
      readonly advice: readonly Advice[];
      /** Arguments rewritten by rules: the call must use these. */
      readonly input?: JsonObject;
      /**
       * Set if the call is allowed only because the session is elevated, a person approved it, or nothing is enforced.
       */
      readonly because?: "elevated" | "approved" | Observing;
      /** Restrictions that would have denied the call without elevation. */
      readonly lifted?: readonly Lifted[];
    }
  | {
      readonly kind: "deny";
      readonly id: string;
      readonly rule: string;
      /** Position of the rule, if it was read from a file. */
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
      /** Arguments rewritten by rules. */
      readonly input?: JsonObject;
      readonly inputHash: string;
      readonly expiresAt: number;
      /** The command with which a person approves, if the session can be reached from a terminal. */
      readonly answer?: string;
      /** A person may answer "always": the same effect is then allowed for the rest of the session. */
      readonly remember?: true;
    };

/** `always`: yes, and to the same effect for the rest of the session. */
export type PersonAnswer = "yes" | "no" | "always";

/** A decision that denies the call. */
export type Denial = Extract<Decision, { kind: "deny" }>;
/** A decision that needs a person's answer. */
export type Question = Extract<Decision, { kind: "ask" }>;
