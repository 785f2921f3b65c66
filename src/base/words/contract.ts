export type DirectiveType = "keep" | "more" | "less" | "stop" | "start";

/** Scope of a directive, widest first. One block merges global with one scope of each other kind. */
export type ContractScope = "global" | `agent:${string}` | `channel:${string}` | `user:${string}`;

/** The audience of a contract; unknown parts contribute no scope. */
export type ContractView = { readonly agent?: string; readonly channel?: string; readonly user?: string };

/**
 * The message line that a directive was captured from. `first`: the directive from this line before the message was
 * edited.
 */
export type MessageLine = { readonly id: string; readonly line: number; readonly first?: string };

/**
 * Lets a program check whether a directive was followed; without one compliance is not measured. `reply`: a CEL
 * expression that must be true for every reply. `order`: no `later` in a turn before an ok `first`; both are tools or
 * actions. `cadence`: replies in a turn, or in any span of `withinMs`.
 */
export type DirectiveCheck =
  | { readonly kind: "reply"; readonly holds: string }
  | {
      readonly kind: "length";
      readonly unit: "words" | "characters" | "lines";
      readonly atMost?: number;
      readonly atLeast?: number;
    }
  | { readonly kind: "order"; readonly first: string; readonly later: string }
  | { readonly kind: "cadence"; readonly atMost?: number; readonly atLeast?: number; readonly withinMs?: number };

/** People's feedback on a directive in force. */
export type Mark = "helpful" | "harmful";

/** An operator's instruction to an agent, in force until it is removed or expires. Times are ISO 8601 in UTC. */
export type BehaviorDirective = {
  readonly id: string;
  readonly type: DirectiveType;
  readonly text: string;
  readonly source: "operator" | "daily-review";
  readonly confidence?: number;
  readonly evidence?: readonly string[];
  readonly createdAt: string;
  readonly scope: ContractScope;
  readonly expiresAt?: string;
  /** The candidate that it was promoted from. */
  readonly candidate?: string;
  readonly message?: MessageLine;
  /** Not part of the prompt; used only for measuring. */
  readonly check?: DirectiveCheck;
};

/**
 * The directives in force for one view, in prompt order. `version` counts the changes of the contract, 1, 2, 3, up
 * to the newest one in this view; `hash` covers the lines in the prompt. Both together identify a run's contract.
 */
export type ActiveBehaviorContract = {
  readonly version: number;
  /** When this version was created; the epoch for version 0. */
  readonly generatedAt: string;
  readonly directives: readonly BehaviorDirective[];
  readonly hash: string;
};

export type CandidateState =
  /** `blocked`: why the last attempt to promote it failed. */
  | { readonly status: "pending"; readonly blocked?: string }
  | { readonly status: "snoozed"; readonly until: string }
  | { readonly status: "promoted"; readonly directive: string }
  | { readonly status: "rejected"; readonly reason: string }
  | { readonly status: "expired" };

/**
 * The pattern in the journal behind a candidate, and whether it is good. `reviewer`: the model that found it, if any.
 */
export type CandidateOrigin = {
  readonly pattern: string;
  readonly good: boolean;
  /** The rule, tool or directive concerned. */
  readonly subject?: string;
  readonly reviewer?: string;
  /** The reviewer's own confidence, before calibration with past promotions and rejections. */
  readonly raw?: number;
};

/** A proposed directive with at least one piece of evidence. Has no effect until promoted. */
export type Candidate = {
  readonly id: string;
  readonly type: DirectiveType;
  readonly text: string;
  readonly scope: ContractScope;
  readonly confidence: number;
  readonly evidence: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly origin?: CandidateOrigin;
  /** The directive to remove on promotion; this candidate has the same type, text and scope. */
  readonly demotes?: string;
} & CandidateState;

/**
 * A directive turned into a rule for every agent of its scope, stored with the contract. `text` is the rule file as
 * the operator saw it. In shadow until it is enforced.
 */
export type StandingRule = {
  readonly id: string;
  readonly text: string;
  readonly scope: ContractScope;
  readonly createdAt: string;
  /** The candidate or directive that it was created from. */
  readonly from?: string;
} & ({ readonly status: "shadow"; readonly until?: string } | { readonly status: "enforced"; readonly since: string });

/**
 * A recorded change of the contract or a candidate. Contains all that a replay needs, so later code cannot alter the
 * past.
 */
export type ContractChange =
  | {
      readonly kind: "directive-added";
      readonly directive: BehaviorDirective;
      /** Weaker directives that it replaces. */
      readonly absorbed: readonly BehaviorDirective[];
    }
  /** The same or a stronger directive exists already: no change, no new version. */
  | {
      readonly kind: "directive-repeated";
      readonly of: string;
      readonly type: DirectiveType;
      readonly text: string;
      readonly scope: ContractScope;
      readonly message?: MessageLine;
    }
  | { readonly kind: "directive-removed"; readonly directive: BehaviorDirective; readonly reason?: string }
  | {
      readonly kind: "directive-replaced";
      readonly removed: BehaviorDirective;
      readonly directive: BehaviorDirective;
      readonly absorbed: readonly BehaviorDirective[];
    }
  | { readonly kind: "directives-expired"; readonly directives: readonly BehaviorDirective[] }
  /** The contract was checked again. Without drops there is no change and no new version. */
  | { readonly kind: "contract-applied"; readonly dropped: readonly DroppedDirective[] }
  /** `undoes`: the sequence of the reverted change. */
  | {
      readonly kind: "contract-undone";
      readonly undoes: number;
      readonly dropped: readonly BehaviorDirective[];
      readonly restored: readonly BehaviorDirective[];
    }
  | { readonly kind: "candidate-proposed"; readonly candidate: Candidate }
  /** Proposed again with more evidence. */
  | {
      readonly kind: "candidate-merged";
      readonly id: string;
      readonly confidence: number;
      readonly evidence: readonly string[];
      readonly expiresAt: string;
    }
  | { readonly kind: "candidate-edited"; readonly id: string; readonly type: DirectiveType; readonly text: string }
  | {
      readonly kind: "candidate-promoted";
      readonly id: string;
      readonly directive: BehaviorDirective;
      readonly absorbed: readonly BehaviorDirective[];
    }
  /** Promoted, but directive `of` already covers it, so none was added. */
  | { readonly kind: "candidate-covered"; readonly id: string; readonly of: string }
  /** Promoted, which removed the directive that it demotes. */
  | { readonly kind: "candidate-demoted"; readonly id: string; readonly directive: BehaviorDirective }
  /** `evidence` is set if the mark did not come from a person. */
  | {
      readonly kind: "directive-marked";
      readonly id: string;
      readonly mark: Mark;
      readonly note?: string;
      readonly evidence?: string;
    }
  | { readonly kind: "rule-added"; readonly rule: StandingRule }
  | { readonly kind: "rule-enforced"; readonly id: string; readonly since: string }
  | { readonly kind: "rule-shadowed"; readonly id: string; readonly until?: string }
  | { readonly kind: "rule-removed"; readonly rule: StandingRule; readonly reason?: string }
  | { readonly kind: "directive-checked"; readonly id: string; readonly check: DirectiveCheck | null }
  | { readonly kind: "candidate-blocked"; readonly id: string; readonly reason: string }
  | { readonly kind: "candidate-rejected"; readonly id: string; readonly reason: string }
  | {
      readonly kind: "candidate-snoozed";
      readonly id: string;
      readonly until: string;
      readonly expiresAt: string;
    }
  | { readonly kind: "candidates-expired"; readonly ids: readonly string[] };

export type DroppedDirective = { readonly directive: BehaviorDirective; readonly sameAs: string };

/** A change in the governance journal. `seq` increases with gaps, because the journal has other entries too. */
export type ContractEvent = { readonly seq: number; readonly at: number; readonly by: string } & ContractChange;

/** Machine-readable reason why a change was rejected. */
export type ContractCode =
  | "INVALID_DIRECTIVE_TEXT"
  | "BEHAVIOR_CONFLICT"
  | "BEHAVIOR_CONTRACT_CAP"
  | "MISSING_CANDIDATE_ID"
  | "CANDIDATE_NOT_FOUND"
  | "INVALID_CANDIDATE_RECORD"
  | "CANDIDATE_NOT_PENDING"
  | "CANDIDATE_EXPIRED"
  | "MISSING_DIRECTIVE_ID"
  | "DIRECTIVE_NOT_FOUND"
  | "INVALID_SCOPE"
  | "INVALID_CHECK"
  | "INVALID_RULE"
  | "RULE_EXISTS"
  | "RULE_NOT_FOUND"
  | "INVALID_TIME"
  | "NOTHING_TO_UNDO"
  | "GATEWAY_BEHAVIOR_FAILED";
