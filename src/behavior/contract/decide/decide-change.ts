import type { ContractChange, ContractEvent } from "../../../base/words/contract.ts";
import { contractFor } from "../active-contract.ts";
import { candidateAt, isOpen } from "../candidates.ts";
import { allDirectives, applyEvent, type ContractState } from "../contract-state.ts";
import { parseCheck } from "../directive-check.ts";
import { isOver } from "../iso-time.ts";
import { viewOf } from "../scopes.ts";
import type { Accepted, ChangeContext, ChangeDecision, ChangeRequest, Refusal, Request } from "./change-request.ts";
import { decideEdit, decidePromote, decidePropose, decideReject, decideSnooze } from "./decide-candidate.ts";
import { decideApply, decideUndo } from "./decide-contract.ts";
import { decideAdd, decideRemove, decideReplace, findDirective } from "./decide-directive.ts";
import { decideHarden, decideRule } from "./decide-rule.ts";
import { accept, badCheck, listCommand, refuse } from "./steps.ts";

const MAX_NOTE = 500;

function decideMark(state: ContractState, { id, mark, note, evidence }: Request<"mark">): Accepted | Refusal {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  const shown = evidence?.slice(0, MAX_NOTE).toWellFormed();
  const counted = shown !== undefined && state.tallies.get(id)?.seen.includes(shown) === true;
  const said = note?.trim().slice(0, MAX_NOTE).toWellFormed() || undefined;
  const changes = counted ? [] : [{ kind: "directive-marked", id, mark, note: said, evidence: shown } as const];
  return accept("marked", directive.scope, changes, { directive, next: [listCommand] });
}

function decideCheck(state: ContractState, { id, check: written }: Request<"check">): Accepted | Refusal {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  const check = written === undefined ? null : parseCheck(written);
  if (check !== null && "wrong" in check) return badCheck(check.wrong);
  const same = JSON.stringify(directive.check ?? null) === JSON.stringify(check);
  const changes = same ? [] : [{ kind: "directive-checked", id, check } as const];
  const changed = { ...directive, check: check ?? undefined };
  return accept("checked", directive.scope, changes, { directive: changed, next: [listCommand] });
}

/** Decides on a request: the events to append and the contract after them, or a refusal. Pure. */
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
  const { changes: _, scope, candidate: id, ...accepted } = step;
  const candidate = id === undefined ? undefined : after.candidates.get(id);
  return {
    ...accepted,
    events,
    state: after,
    contract: contractFor(after, viewOf(scope), context.now),
    candidate: candidate && candidateAt(candidate, context.now),
  };
}

/** Expiries that are not recorded yet. */
function dueExpiries(state: ContractState, now: number): readonly ContractChange[] {
  const directives = allDirectives(state).filter(({ expiresAt }) => isOver(expiresAt, now));
  const ids = [...state.candidates]
    .filter(([, candidate]) => isOpen(candidate) && isOver(candidate.expiresAt, now))
    .map(([id]) => id)
    .sort();
  const changes: ContractChange[] = [];
  if (directives.length > 0) changes.push({ kind: "directives-expired", directives });
  if (ids.length > 0) changes.push({ kind: "candidates-expired", ids });
  return changes;
}

type Decide<K extends ChangeRequest["kind"]> = (
  state: ContractState,
  request: Request<K>,
  context: ChangeContext,
) => Accepted | Refusal;

const DECIDE: { readonly [K in ChangeRequest["kind"]]: Decide<K> } = {
  add: decideAdd,
  remove: decideRemove,
  replace: decideReplace,
  apply: decideApply,
  undo: decideUndo,
  expire: () => accept("expired", "global", [], { next: [listCommand] }),
  propose: decidePropose,
  promote: decidePromote,
  reject: decideReject,
  edit: decideEdit,
  snooze: decideSnooze,
  mark: decideMark,
  check: decideCheck,
  harden: decideHarden,
  "enforce-rule": decideRule,
  "shadow-rule": decideRule,
  "remove-rule": decideRule,
};

function decideStep<K extends ChangeRequest["kind"]>(
  state: ContractState,
  request: Request<K>,
  context: ChangeContext,
) {
  return (DECIDE[request.kind] as Decide<K>)(state, request, context);
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
