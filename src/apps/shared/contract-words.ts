import { assertNever } from "../../base/kernel/error-text.ts";
import type { BehaviorDirective, ContractEvent } from "../../base/words/contract.ts";
import { writeCheck } from "../../behavior/contract/directive-check.ts";
import { writeDirective } from "../../behavior/contract/parse/directive-form.ts";

/** A change of the contract in a few words, with the ids that can be asked about. */
export function describeEvent(event: ContractEvent): string {
  switch (event.kind) {
    case "directive-added":
      return `added ${named(event.directive)}${absorbed(event.absorbed)}`;
    case "directive-repeated":
      return `repeated: '${writeDirective(event)}' (${event.of} says it)`;
    case "directive-removed":
      return `removed ${named(event.directive)}${event.reason === undefined ? "" : `: ${event.reason}`}`;
    case "directive-replaced":
      return `replaced ${named(event.removed)} by ${named(event.directive)}${absorbed(event.absorbed)}`;
    case "directives-expired":
      return `expired: ${event.directives.map(named).join(", ")}`;
    case "contract-applied":
      return event.dropped.length === 0
        ? "checked again, nothing to change"
        : `checked again, dropped ${event.dropped.map(({ directive, sameAs }) => `${named(directive)}, the same as ${sameAs}`).join("; ")}`;
    case "contract-undone":
      return `undid a change${listed("; removed", event.dropped)}${listed("; restored", event.restored)}`;
    case "candidate-proposed":
      return `proposed ${named(event.candidate)}`;
    case "candidate-merged":
      return `proposed again: ${event.id}, ${event.evidence.length} pieces of evidence`;
    case "candidate-edited":
      return `edited ${event.id}: '${writeDirective(event)}'`;
    case "candidate-promoted":
      return `promoted ${event.id} to ${named(event.directive)}${absorbed(event.absorbed)}`;
    case "candidate-demoted":
      return `promoted ${event.id}: removed ${named(event.directive)}`;
    case "directive-marked":
      return `marked ${event.id} ${event.mark}${event.note === undefined ? "" : `: ${event.note}`}`;
    case "rule-added":
      return `turned ${event.rule.from ?? "a file"} into rule ${event.rule.id} (${event.rule.scope}), ${event.rule.status}`;
    case "rule-enforced":
      return `rule ${event.id} is enforced`;
    case "rule-shadowed":
      return `rule ${event.id} is in shadow mode${event.until === undefined ? "" : ` until ${event.until}`}`;
    case "rule-removed":
      return `removed rule ${event.rule.id}${event.reason === undefined ? "" : `: ${event.reason}`}`;
    case "directive-checked":
      return event.check === null
        ? `${event.id} is no longer measured`
        : `${event.id} is measured by '${writeCheck(event.check)}'`;
    case "candidate-covered":
      return `promoted ${event.id}, already covered by ${event.of}`;
    case "candidate-blocked":
      return `could not promote ${event.id}: ${event.reason}`;
    case "candidate-rejected":
      return `rejected ${event.id}: ${event.reason}`;
    case "candidate-snoozed":
      return `snoozed ${event.id} until ${event.until}`;
    case "candidates-expired":
      return `expired without a decision: ${event.ids.join(", ")}`;
    default:
      return assertNever(event);
  }
}

function named(one: Pick<BehaviorDirective, "id" | "type" | "text" | "scope">): string {
  return `'${writeDirective(one)}' (${one.id}${one.scope === "global" ? "" : `, ${one.scope}`})`;
}

function absorbed(directives: readonly BehaviorDirective[]): string {
  return listed("; replaces", directives);
}

function listed(before: string, directives: readonly BehaviorDirective[]): string {
  return directives.length === 0 ? "" : `${before} ${directives.map(named).join(", ")}`;
}
