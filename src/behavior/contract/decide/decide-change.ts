import { assertNever } from "../../../base/kernel/assert-never.ts";
import type { ContractChange, ContractEvent } from "../../../base/words/contract.ts";
import { contractFor } from "../active-contract.ts";
import { allDirectives, applyEvent, type ContractState } from "../contract-state.ts";
import { parseCheck } from "../directive-check.ts";
import { isOver } from "../iso-time.ts";
import { viewOf } from "../scopes.ts";
import type { ChangeContext, ChangeDecision, ChangeRequest, Step } from "./change-request.ts";
import { decideEdit, decidePromote, decideReject, decideSnooze } from "./decide-candidate.ts";
import { decideApply, decideUndo } from "./decide-contract.ts";
import { decideAdd, decideRemove, decideReplace, findDirective } from "./decide-directive.ts";
import { decidePropose } from "./decide-propose.ts";
import { decideHarden, decideRule } from "./decide-rule.ts";
import { candidateAt, isOpen } from "./fold-candidates.ts";
import { listCommand } from "./next-commands.ts";
import { badCheck, refuse } from "./refusals.ts";

type Request<K extends ChangeRequest["kind"]> = Extract<ChangeRequest, { readonly kind: K }>;

const MAX_NOTE = 500;

/** What is said about a directive never changes what is told. */
function decideMark(state: ContractState, { id, mark, note, evidence }: Request<"mark">): Step {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  const shared = { kind: "accepted", outcome: "marked", scope: directive.scope, directive } as const;
  const shown = evidence?.slice(0, MAX_NOTE).toWellFormed();
  const counted = shown !== undefined && state.tallies.get(id)?.seen.includes(shown) === true;
  const said = note?.trim().slice(0, MAX_NOTE).toWellFormed();
  const change: ContractChange = {
    ...{ kind: "directive-marked", id, mark },
    ...(said === undefined || said === "" ? {} : { note: said }),
    ...(shown === undefined ? {} : { evidence: shown }),
  };
  return { ...shared, changes: counted ? [] : [change], warnings: [], next: [listCommand] };
}

function decideCheck(state: ContractState, { id, check: written }: Request<"check">): Step {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  const check = written === undefined ? null : parseCheck(written);
  if (check !== null && "wrong" in check) return badCheck(check.wrong);
  const { check: old, ...rest } = directive;
  const same = JSON.stringify(old ?? null) === JSON.stringify(check);
  const changes: readonly ContractChange[] = same ? [] : [{ kind: "directive-checked", id, check }];
  const now = check === null ? rest : { ...rest, check };
  const { scope } = directive;
  return { kind: "accepted", outcome: "checked", changes, scope, directive: now, warnings: [], next: [listCommand] };
}

/**
 * What becomes of a request: the events to append and the contract after them, or why not. The same state, request and
 * context give the same decision; nothing is changed here.
 */
export function decideChange(state: ContractState, request: ChangeRequest, context: ChangeContext): ChangeDecision {
  if (state.fault !== undefined) {
    const message = `The stored contract cannot be trusted: ${state.fault.message}.`;
    const fix = "Nothing is written until an operator repairs it: conduct journal repair.";
    return { ...refuse("GATEWAY_BEHAVIOR_FAILED", message, fix), events: [], state };
  }
  const due = append(state, dueExpiries(state, context.now), [], context);
  const step = decideStep(due.state, request, context);
  const { state: after, events } = append(due.state, step.changes ?? [], due.events, context);
  if (step.kind === "refused") {
    const { changes: _, ...refusal } = step;
    return { ...refusal, events, state: after };
  }
  const { kind, outcome, scope, directive, candidate: id, rule, warnings, next } = step;
  const candidate = id === undefined ? undefined : after.candidates.get(id);
  return {
    kind,
    outcome,
    events,
    state: after,
    contract: contractFor(after, viewOf(scope), context.now),
    directive,
    rule,
    candidate: candidate === undefined ? undefined : candidateAt(candidate, context.now),
    warnings,
    next,
  };
}

/** What time has ended and nobody has written down yet. */
function dueExpiries(state: ContractState, now: number): readonly ContractChange[] {
  const directives = allDirectives(state).filter(({ expiresAt }) => isOver(expiresAt, now));
  const ids = [...state.candidates]
    .filter(([, candidate]) => isOpen(candidate) && isOver(candidate.expiresAt, now))
    .map(([id]) => id)
    .sort();
  return [
    ...(directives.length === 0 ? [] : [{ kind: "directives-expired", directives } as const]),
    ...(ids.length === 0 ? [] : [{ kind: "candidates-expired", ids } as const]),
  ];
}

function decideStep(state: ContractState, request: ChangeRequest, context: ChangeContext): Step {
  switch (request.kind) {
    case "add":
      return decideAdd(state, request, context);
    case "remove":
      return decideRemove(state, request);
    case "replace":
      return decideReplace(state, request, context);
    case "apply":
      return decideApply(state, context);
    case "undo":
      return decideUndo(state, request, context);
    case "expire":
      return { kind: "accepted", outcome: "expired", changes: [], scope: "global", warnings: [], next: [listCommand] };
    case "propose":
      return decidePropose(state, request, context);
    case "promote":
      return decidePromote(state, request, context);
    case "reject":
      return decideReject(state, request, context);
    case "edit":
      return decideEdit(state, request, context);
    case "snooze":
      return decideSnooze(state, request, context);
    case "mark":
      return decideMark(state, request);
    case "check":
      return decideCheck(state, request);
    case "harden":
      return decideHarden(state, request, context);
    case "enforce-rule":
    case "shadow-rule":
    case "remove-rule":
      return decideRule(state, request, context);
    default:
      return assertNever(request);
  }
}

function append(
  state: ContractState,
  changes: readonly ContractChange[],
  before: readonly ContractEvent[],
  { head, now, by }: ChangeContext,
): { readonly state: ContractState; readonly events: readonly ContractEvent[] } {
  const from = Math.max(head, state.seq);
  const events = changes.map((change, at): ContractEvent => ({ seq: from + at + 1, at: now, by, ...change }));
  return { state: events.reduce(applyEvent, state), events: [...before, ...events] };
}
