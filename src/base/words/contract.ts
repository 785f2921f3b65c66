export type DirectiveType = "keep" | "more" | "less" | "stop" | "start";

/** Where a directive holds, widest first. One block merges global with one scope of each other kind. */
export type ContractScope = "global" | `agent:${string}` | `channel:${string}` | `user:${string}`;

/** Whom a contract is for; what is not known has no scope in it. */
export type ContractView = { readonly agent?: string; readonly channel?: string; readonly user?: string };

/** The line of a message that a directive was captured from. `first`: what the line gave before the message was edited. */
export type MessageLine = { readonly id: string; readonly line: number; readonly first?: string };

/**
 * How a program can tell whether a directive was followed; without one nobody claims to know. `reply`: a CEL expression that
 * holds for every reply. `order`: no `later` in a turn before an ok `first`; both are tools or actions. `cadence`: replies in a turn,
 * or in any span of `withinMs`.
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

/** What people have said of a directive since it is in force. */
export type Mark = "helpful" | "harmful";

/** What an operator wants of an agent, in force until it is removed or expires. Times are ISO 8601 in UTC. */
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
  /** The candidate it was promoted from. */
  readonly candidate?: string;
  readonly message?: MessageLine;
  /** Not told: it only measures. */
  readonly check?: DirectiveCheck;
};

/**
 * The directives in force for one view, in the order in which they are told. `version` is the governance sequence of the
 * newest change to them, `hash` is over the lines as they are told: a run is known by both together.
 */
export type ActiveBehaviorContract = {
  readonly version: number;
  /** When the version came about; the epoch for version 0. */
  readonly generatedAt: string;
  readonly directives: readonly BehaviorDirective[];
  readonly hash: string;
};

export type CandidateState =
  /** `blocked`: why it could not be promoted when that was last tried. */
  | { readonly status: "pending"; readonly blocked?: string }
  | { readonly status: "snoozed"; readonly until: string }
  | { readonly status: "promoted"; readonly directive: string }
  | { readonly status: "rejected"; readonly reason: string }
  | { readonly status: "expired" };

/** What in the journal gave rise to a candidate, and whether it is something to keep. `reviewer`: who found it, where a model did. */
export type CandidateOrigin = {
  readonly pattern: string;
  readonly good: boolean;
  /** The rule, tool or directive that it is about. */
  readonly subject?: string;
  readonly reviewer?: string;
  /** The reviewer's own confidence, before it was set against past promotions and rejections. */
  readonly raw?: number;
};

/** A directive that was proposed, with at least one piece of evidence. It changes nothing until it is promoted. */
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
  /** The directive that is taken away when it is promoted; it has the type, text and scope of that one. */
  readonly demotes?: string;
} & CandidateState;

/**
 * A directive made hard: a rule that binds every agent of its scope, kept with the contract. `text` is the rule file as the operator
 * saw it. It only records what it would have done until it is enforced.
 */
export type StandingRule = {
  /** The id of the rule in its text. */
  readonly id: string;
  readonly text: string;
  readonly scope: ContractScope;
  readonly createdAt: string;
  /** The candidate or directive that it was made from. */
  readonly from?: string;
} & ({ readonly status: "shadow"; readonly until?: string } | { readonly status: "enforced"; readonly since: string });

/** What is written when the contract or a candidate changes: all that a replay needs, so that no later rule alters the past. */
export type ContractChange =
  | {
      readonly kind: "directive-added";
      readonly directive: BehaviorDirective;
      /** Weaker ones whose place it takes. */
      readonly absorbed: readonly BehaviorDirective[];
    }
  /** It was said already, or a stronger one says it: nothing changes, and no version. */
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
  /** The contract was checked again. Without drops nothing changed, and no version. */
  | { readonly kind: "contract-applied"; readonly dropped: readonly DroppedDirective[] }
  /** `undoes`: the sequence of the change that is taken back. */
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
  /** Promoted, but the directive `of` says it already: none was added. */
  | { readonly kind: "candidate-covered"; readonly id: string; readonly of: string }
  /** Promoted, and so the directive that it was about is gone. */
  | { readonly kind: "candidate-demoted"; readonly id: string; readonly directive: BehaviorDirective }
  /** `evidence`: what showed it, where it was not a person who said so. */
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

/** A directive that said the same as another one of its scope. */
export type DroppedDirective = { readonly directive: BehaviorDirective; readonly sameAs: string };

/** A change as the governance journal has it. `seq` grows and may have gaps: others write to the journal too. */
export type ContractEvent = { readonly seq: number; readonly at: number; readonly by: string } & ContractChange;

/** Why a change was not made, for programs. */
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
