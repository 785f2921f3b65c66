import type { Ids } from "../../../base/ports/ids.ts";
import type { TokenCounter } from "../../../base/ports/token-counter.ts";
import type {
  ActiveBehaviorContract,
  BehaviorDirective,
  Candidate,
  CandidateOrigin,
  ContractChange,
  ContractCode,
  ContractEvent,
  ContractScope,
  DirectiveType,
  Mark,
  MessageLine,
  StandingRule,
} from "../../../base/words/contract.ts";
import type { ContractLimits } from "../contract-limits.ts";
import type { ContractState } from "../contract-state.ts";
import type { Keywords } from "../parse/keywords.ts";

/** A directive as somebody states it; nothing in it is trusted to be well formed. */
export type DirectiveDraft = {
  readonly type: DirectiveType;
  readonly text: string;
  /** `global` unless told. */
  readonly scope?: string;
  /** ISO 8601 with a zone. */
  readonly expiresAt?: string;
  /** Such as `length: at most 120 words`. */
  readonly check?: string;
};

/** What an operator, or the review, wants changed. */
export type ChangeRequest =
  | ({ readonly kind: "add"; readonly message?: Pick<MessageLine, "id" | "line"> } & DirectiveDraft)
  | { readonly kind: "remove"; readonly id: string; readonly reason?: string }
  /** The new one takes the scope of the old one unless told. */
  | ({ readonly kind: "replace"; readonly id: string } & DirectiveDraft)
  /** Checks the contract as it is stored again. */
  | { readonly kind: "apply" }
  /** Takes back the newest change that still shows; in one scope when it is told. */
  | { readonly kind: "undo"; readonly scope?: string }
  /** Writes down what is over. Every other request does that too. */
  | { readonly kind: "expire" }
  | ({
      readonly kind: "propose";
      readonly confidence: number;
      readonly evidence: readonly string[];
      readonly origin?: CandidateOrigin;
      /** Proposes to take this directive away. */
      readonly demotes?: string;
    } & Omit<DirectiveDraft, "expiresAt" | "check">)
  /** With `as` it is edited first. */
  | { readonly kind: "promote"; readonly id: string; readonly as?: Pick<DirectiveDraft, "type" | "text"> }
  | { readonly kind: "reject"; readonly id: string; readonly reason?: string }
  | { readonly kind: "edit"; readonly id: string; readonly type: DirectiveType; readonly text: string }
  | { readonly kind: "snooze"; readonly id: string; readonly until: string }
  /** Says of a directive in force that it has helped or done harm. What a program saw carries its evidence, and counts once. */
  | {
      readonly kind: "mark";
      readonly id: string;
      readonly mark: Mark;
      readonly note?: string;
      readonly evidence?: string;
    }
  /**
   * Puts a rule in force, in shadow at first. The text was read and found sound by whoever can read rules; `rule` is the id of the
   * one rule in it. `from`: the candidate or directive that it makes hard.
   */
  | {
      readonly kind: "harden";
      readonly rule: string;
      readonly text: string;
      readonly scope?: string;
      readonly from?: string;
      readonly until?: string;
    }
  | { readonly kind: "enforce-rule"; readonly id: string }
  | { readonly kind: "shadow-rule"; readonly id: string; readonly until?: string }
  | { readonly kind: "remove-rule"; readonly id: string; readonly reason?: string }
  /** Declares how it can be told whether a directive is followed; without a check, that it cannot. */
  | { readonly kind: "check"; readonly id: string; readonly check?: string };

export type ChangeContext = {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly by: string;
  /** Sequence of the journal's newest entry: what is decided takes the numbers after it. */
  readonly head: number;
  readonly ids: Ids;
  readonly counter: Pick<TokenCounter, "count">;
  readonly limits?: ContractLimits;
  readonly keywords?: Keywords;
};

/** A command that makes sense now. `params` says what may be filled in. */
export type NextCommand = {
  readonly command: string;
  readonly description: string;
  readonly params?: { readonly [name: string]: { readonly description: string } };
};

/** Something that a person should look at; the change was made all the same. */
export type ContractWarning = {
  readonly code: "related" | "suspect" | "absorbed" | "expiry-kept" | "not-restored";
  readonly other: string;
  readonly message: string;
};

/** What came of a request that was not refused. */
export type ChangeOutcome =
  | "added"
  | "repeated"
  | "absorbed"
  | "removed"
  | "replaced"
  | "applied"
  | "undone"
  | "expired"
  | "proposed"
  | "merged"
  | "known"
  | "promoted"
  | "rejected"
  | "edited"
  | "snoozed"
  | "marked"
  | "checked"
  | "hardened"
  | "enforced"
  | "shadowed";

/** What a request comes to, before its changes are numbered. `scope`: where it shows. */
export type Step =
  | {
      readonly kind: "accepted";
      readonly outcome: ChangeOutcome;
      readonly changes: readonly ContractChange[];
      readonly scope: ContractScope;
      readonly directive?: BehaviorDirective;
      readonly candidate?: string;
      readonly rule?: StandingRule;
      readonly warnings: readonly ContractWarning[];
      readonly next: readonly NextCommand[];
    }
  | Refusal;

/** `changes`: what is written down although the request is refused. */
export type Refusal = {
  readonly kind: "refused";
  readonly code: ContractCode;
  readonly message: string;
  readonly fix: string;
  readonly next: readonly NextCommand[];
  /** The directives in force that it goes against, where that is the reason. */
  readonly against?: readonly string[];
  readonly changes?: readonly ContractChange[];
};

/**
 * Append `events`, all or none, right after `head`; when the journal has moved on, decide again. `state` and `contract` are as
 * they are then. A refusal may have events too: what was over, and why a candidate is blocked.
 */
export type ChangeDecision =
  | {
      readonly kind: "accepted";
      readonly outcome: ChangeOutcome;
      readonly events: readonly ContractEvent[];
      readonly state: ContractState;
      /** Of the scope that was changed, with what is wider. */
      readonly contract: ActiveBehaviorContract;
      /** The one that is in force now, or was taken away. */
      readonly directive?: BehaviorDirective;
      readonly candidate?: Candidate;
      readonly rule?: StandingRule;
      readonly warnings: readonly ContractWarning[];
      readonly next: readonly NextCommand[];
    }
  | (Omit<Refusal, "changes"> & { readonly events: readonly ContractEvent[]; readonly state: ContractState });
