import type {
  BehaviorDirective,
  ContractEvent,
  ContractScope,
  ContractView,
  DirectiveType,
} from "../../../../src/base/words/contract.ts";
import type { DiffLine } from "../../ui/data/diff.tsx";

/** Kinds of directives with their meaning. */
export const KINDS: readonly { readonly type: DirectiveType; readonly means: string }[] = [
  { type: "keep", means: "keep doing it" },
  { type: "more", means: "do it more often, or more thoroughly" },
  { type: "less", means: "do it less often, or more briefly" },
  { type: "stop", means: "stop doing it" },
  { type: "start", means: "start doing it" },
];

/** Kinds of scopes, widest first. */
export const SCOPE_KINDS = ["global", "agent", "channel", "user"] as const;
type ScopeKind = (typeof SCOPE_KINDS)[number];

/** Returns the line in the prompt: `STOP: long status reports`. */
export function lineOf({ type, text }: { readonly type: DirectiveType; readonly text: string }): string {
  return `${type.toUpperCase()}: ${text}`;
}

export function kindOf(scope: string): ScopeKind {
  return SCOPE_KINDS.find((kind) => scope.startsWith(`${kind}:`)) ?? "global";
}

export function nameOf(scope: string): string {
  const kind = kindOf(scope);
  return kind === "global" ? "" : scope.slice(kind.length + 1);
}

/** Describes a scope: `everybody`, `agent demo`. */
export function scopeInWords(scope: string): string {
  const kind = kindOf(scope);
  return kind === "global" ? "everybody" : `${kind} ${nameOf(scope)}`;
}

/** Returns the smallest view in which a scope applies. */
export function viewOf(scope: string): ContractView {
  const kind = kindOf(scope);
  return kind === "global" ? {} : { [kind]: nameOf(scope) };
}

/** Groups directives by scope, widest first. */
export function byScope(
  directives: readonly BehaviorDirective[],
): readonly (readonly [ContractScope, readonly BehaviorDirective[]])[] {
  const rank = (scope: string) => SCOPE_KINDS.indexOf(kindOf(scope));
  return [...Map.groupBy(directives, ({ scope }) => scope)].sort(
    ([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0),
  );
}

/** Short description of a change, with the added and removed lines. */
type InWords = {
  readonly what: string;
  readonly lines: readonly DiffLine[];
  /** The author's note. */
  readonly note?: string;
  /** The subject, if it has a page. */
  readonly about?: { readonly id: string; readonly href: string };
};

const gone = (directive: BehaviorDirective): DiffLine => ({ kind: "gone", text: lineOf(directive) });
const came = (directive: BehaviorDirective): DiffLine => ({ kind: "new", text: lineOf(directive) });
const directiveAt = (id: string) => ({ id, href: `/contract?directive=${encodeURIComponent(id)}` });
const candidateAt = (id: string) => ({ id, href: `/inbox?candidate=${encodeURIComponent(id)}` });
const ruleAt = (id: string) => ({ id, href: `/rules?rule=${encodeURIComponent(id)}` });
const noted = (note: string | undefined) => (note === undefined || note === "" ? {} : { note });

export function inWords(event: ContractEvent): InWords {
  switch (event.kind) {
    case "directive-added":
      return {
        what: `added for ${scopeInWords(event.directive.scope)}`,
        lines: [...event.absorbed.map(gone), came(event.directive)],
        about: directiveAt(event.directive.id),
      };
    case "directive-repeated":
      return {
        what: "repeated, nothing changed",
        lines: [{ kind: "same", text: lineOf(event) }],
        about: directiveAt(event.of),
      };
    case "directive-removed":
      return {
        what: `removed for ${scopeInWords(event.directive.scope)}`,
        lines: [gone(event.directive)],
        ...noted(event.reason),
      };
    case "directive-replaced":
      return {
        what: `replaced for ${scopeInWords(event.directive.scope)}`,
        lines: [gone(event.removed), ...event.absorbed.map(gone), came(event.directive)],
        about: directiveAt(event.directive.id),
      };
    case "directives-expired":
      return { what: "expired", lines: event.directives.map(gone) };
    case "contract-applied":
      return { what: "checked again", lines: event.dropped.map(({ directive }) => gone(directive)) };
    case "contract-undone":
      return {
        what: "undid a change",
        lines: [...event.dropped.map(gone), ...event.restored.map(came)],
      };
    case "candidate-proposed":
      return {
        what: event.candidate.demotes === undefined ? "proposed" : "proposed to drop",
        lines: [{ kind: "same", text: lineOf(event.candidate) }],
        about: candidateAt(event.candidate.id),
      };
    case "candidate-merged":
      return { what: "proposed again, with more evidence", lines: [], about: candidateAt(event.id) };
    case "candidate-edited":
      return {
        what: "edited a candidate",
        lines: [{ kind: "same", text: lineOf(event) }],
        about: candidateAt(event.id),
      };
    case "candidate-promoted":
      return {
        what: `promoted for ${scopeInWords(event.directive.scope)}`,
        lines: [...event.absorbed.map(gone), came(event.directive)],
        about: directiveAt(event.directive.id),
      };
    case "candidate-covered":
      return { what: "promoted, already covered", lines: [], about: directiveAt(event.of) };
    case "candidate-demoted":
      return {
        what: "promoted, directive removed",
        lines: [gone(event.directive)],
        about: candidateAt(event.id),
      };
    case "candidate-blocked":
      return { what: "could not be promoted", lines: [], note: event.reason, about: candidateAt(event.id) };
    case "candidate-rejected":
      return { what: "rejected a candidate", lines: [], note: event.reason, about: candidateAt(event.id) };
    case "candidate-snoozed":
      return { what: `snoozed until ${event.until}`, lines: [], about: candidateAt(event.id) };
    case "candidates-expired":
      return {
        what: `${event.ids.length === 1 ? "a candidate" : `${event.ids.length} candidates`} expired`,
        lines: [],
      };
    case "directive-marked":
      return { what: `marked ${event.mark}`, lines: [], ...noted(event.note), about: directiveAt(event.id) };
    case "directive-checked":
      return {
        what: event.check === null ? "removed the check" : "set a check",
        lines: [],
        about: directiveAt(event.id),
      };
    case "rule-added":
      return { what: `created a rule in shadow mode`, lines: [], about: ruleAt(event.rule.id) };
    case "rule-enforced":
      return { what: "enforced a rule", lines: [], about: ruleAt(event.id) };
    case "rule-shadowed":
      return { what: "put a rule into shadow mode", lines: [], about: ruleAt(event.id) };
    case "rule-removed":
      return { what: "removed a rule", lines: [], ...noted(event.reason), about: ruleAt(event.rule.id) };
  }
}
