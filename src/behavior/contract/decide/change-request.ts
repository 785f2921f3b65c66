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
import type { ContractLimits } from "../active-contract.ts";
import type { ContractState } from "../contract-state.ts";
import { writeDirective } from "../parse/directive-form.ts";

type Written = { readonly type: DirectiveType; readonly text: string };

/** Suggested commands. */
export const commands = {
  list: { command: "conduct behavior list", description: "Show the contract" },
  undo: { command: "conduct behavior undo", description: "Undo this change" },
  remove: (directive: BehaviorDirective): NextCommand => ({
    command: `conduct behavior remove ${quoteWord(directive.id)}`,
    description: `Remove '${writeDirective(directive)}'`,
  }),
  replace: (old: BehaviorDirective, by: Written): NextCommand => ({
    command: `conduct behavior replace ${quoteWord(old.id)} ${quoteText(writeDirective(by))}`,
    description: `Replace '${writeDirective(old)}'`,
  }),
  add: (directive: BehaviorDirective): NextCommand => {
    const option = directive.scope === "global" ? "" : ` ${quoteWord(`--scope=${directive.scope}`)}`;
    return { command: `${addWritten(directive)}${option}`, description: "Add it again" };
  },
  promote: (id: string): NextCommand => ({
    command: `conduct behavior promote ${quoteWord(id)}`,
    description: "Promote the candidate",
  }),
};

/** The command that adds a directive to the global contract. */
export function addWritten(directive: Written): string {
  return `conduct behavior add ${quoteText(writeDirective(directive))}`;
}

function quoteWord(word: string): string {
  return /^[\w.:=@/-]+$/.test(word) ? word : quoteText(word);
}

/** Quotes a shell word: in double quotes unless it has characters that are special there. */
function quoteText(text: string): string {
  return /["\\$`!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

/** An accepted request, without warnings and with no suggested command unless given. */
export function accept(
  outcome: ChangeOutcome,
  scope: ContractScope,
  changes: readonly ContractChange[],
  more: Partial<Pick<Accepted, "directive" | "candidate" | "rule" | "warnings" | "next">> = {},
): Accepted {
  return { kind: "accepted", outcome, changes, scope, warnings: [], next: [], ...more };
}

export function refuse(code: ContractCode, message: string, fix: string, next: readonly NextCommand[] = []): Refusal {
  return { kind: "refused", code, message, fix, next };
}

export function badScope(written: string): Refusal {
  const message = `'${written.slice(0, 80).toWellFormed()}' is not a valid scope.`;
  return refuse("INVALID_SCOPE", message, "Use global, agent:NAME, channel:NAME or user:NAME.");
}

export function badCheck(wrong: string): Refusal {
  const fix =
    "Use one of: length: at most 120 words · cadence: at most 2 replies · order: test before deploy · reply: EXPRESSION";
  return refuse("INVALID_CHECK", wrong, fix);
}

export function badTime(what: string, written: string): Refusal {
  const message = `The ${what} '${written.slice(0, 40).toWellFormed()}' is not a time in the future.`;
  return refuse("INVALID_TIME", message, "Use a future time with a time zone, such as 2026-12-31T18:00:00Z.");
}

/** A directive as a person states it, not validated yet. */
export type DirectiveDraft = {
  readonly type: DirectiveType;
  readonly text: string;
  /** `global` by default. */
  readonly scope?: string;
  /** ISO 8601 with a time zone. */
  readonly expiresAt?: string;
  /** Such as `length: at most 120 words`. */
  readonly check?: string;
};

/** The part of a request that one kind has. */
export type Request<K extends ChangeRequest["kind"]> = Extract<ChangeRequest, { readonly kind: K }>;

/** A change that an operator, or the review, asks for. */
export type ChangeRequest =
  | ({ readonly kind: "add"; readonly message?: Pick<MessageLine, "id" | "line"> } & DirectiveDraft)
  | { readonly kind: "remove"; readonly id: string; readonly reason?: string }
  /** Keeps the old scope unless another is given. */
  | ({ readonly kind: "replace"; readonly id: string } & DirectiveDraft)
  /** Validates the stored contract again. */
  | { readonly kind: "apply" }
  /** Takes back the newest change that still has an effect, in any scope or in one. */
  | { readonly kind: "undo"; readonly scope?: string }
  /** Records what has expired. Every other request does that too. */
  | { readonly kind: "expire" }
  | ({
      readonly kind: "propose";
      readonly confidence: number;
      readonly evidence: readonly string[];
      readonly origin?: CandidateOrigin;
      /** The directive that should be removed. */
      readonly demotes?: string;
    } & Omit<DirectiveDraft, "expiresAt" | "check">)
  /** With `as` the candidate is edited first. */
  | { readonly kind: "promote"; readonly id: string; readonly as?: Pick<DirectiveDraft, "type" | "text"> }
  | { readonly kind: "reject"; readonly id: string; readonly reason?: string }
  | { readonly kind: "edit"; readonly id: string; readonly type: DirectiveType; readonly text: string }
  | { readonly kind: "snooze"; readonly id: string; readonly until: string }
  /** Marks a directive as helpful or harmful. The same `evidence` counts once. */
  | {
      readonly kind: "mark";
      readonly id: string;
      readonly mark: Mark;
      readonly note?: string;
      readonly evidence?: string;
    }
  /** Adds a validated rule, in shadow at first. `rule` is its id, `from` the candidate or directive that it replaces. */
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
  /** Sets how compliance with a directive is checked; without `check`, removes the check. */
  | { readonly kind: "check"; readonly id: string; readonly check?: string };

export type ChangeContext = {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly by: string;
  /** Sequence of the journal's newest entry. */
  readonly head: number;
  readonly ids: Ids;
  readonly counter: Pick<TokenCounter, "count">;
  readonly limits?: ContractLimits;
};

/** A suggested command. `params` describes its placeholders. */
export type NextCommand = {
  readonly command: string;
  readonly description: string;
  readonly params?: { readonly [name: string]: { readonly description: string } };
};

/** A warning about a change that was made. */
export type ContractWarning = {
  readonly code: "related" | "suspect" | "absorbed" | "expiry-kept" | "not-restored" | "no-end";
  readonly other: string;
  readonly message: string;
};

type DirectiveOutcome = "added" | "repeated" | "absorbed" | "removed" | "replaced" | "marked" | "checked";
type CandidateOutcome = "proposed" | "merged" | "known" | "promoted" | "rejected" | "edited" | "snoozed";
type RuleOutcome = "hardened" | "enforced" | "shadowed" | "removed";
type ChangeOutcome = DirectiveOutcome | CandidateOutcome | RuleOutcome | "applied" | "undone" | "expired";

type Acceptance = {
  readonly kind: "accepted";
  readonly outcome: ChangeOutcome;
  /** The directive that is in force now, or was removed. */
  readonly directive?: BehaviorDirective;
  readonly rule?: StandingRule;
  readonly warnings: readonly ContractWarning[];
  readonly next: readonly NextCommand[];
};

/** An accepted request before its changes are numbered. */
export type Accepted = Acceptance & {
  readonly changes: readonly ContractChange[];
  readonly scope: ContractScope;
  readonly candidate?: string;
};

/** `changes`: what is recorded although the request is refused. */
export type Refusal = {
  readonly kind: "refused";
  readonly code: ContractCode;
  readonly message: string;
  readonly fix: string;
  readonly next: readonly NextCommand[];
  /** The directives in force that it conflicts with. */
  readonly against?: readonly string[];
  readonly changes?: readonly ContractChange[];
};

export type Decide<K extends ChangeRequest["kind"]> = (
  state: ContractState,
  request: Request<K>,
  context: ChangeContext,
) => Accepted | Refusal;

/**
 * Append all `events` right after `head`, or decide again if the journal has moved on. `state` is the state after them. A
 * refusal may have events too: expiries, and why a candidate is blocked.
 */
export type ChangeDecision = { readonly events: readonly ContractEvent[]; readonly state: ContractState } & (
  | (Acceptance & {
      /** The contract of the changed scope, including wider scopes. */
      readonly contract: ActiveBehaviorContract;
      readonly candidate?: Candidate;
    })
  | Omit<Refusal, "changes">
);
