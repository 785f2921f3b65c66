import type { BehaviorDirective, Candidate, ContractChange } from "../../../base/words/contract.ts";
import { CONTRACT_LIMITS } from "../contract-limits.ts";
import { allDirectives, type ContractState } from "../contract-state.ts";
import { isOver, isoTime, readTime } from "../iso-time.ts";
import type { ChangeContext, ChangeRequest, Refusal, Step } from "./change-request.ts";
import { findDirective, nextCreation, readDraft } from "./decide-directive.ts";
import { candidateAt, isOpen } from "./fold-candidates.ts";
import { listCommand, promoteCommand, undoCommand } from "./next-commands.ts";
import { placeDirective } from "./place-directive.ts";
import { badTime, refuse } from "./refusals.ts";

type Request<K extends ChangeRequest["kind"]> = Extract<ChangeRequest, { readonly kind: K }>;

/** The one way from a candidate to the contract, and a person takes it. */
export function decidePromote(state: ContractState, request: Request<"promote">, context: ChangeContext): Step {
  const found = openCandidate(state, request.id, context);
  if ("code" in found) return found;
  if (found.demotes !== undefined) return demote(state, found);
  const sound = readDraft({ type: found.type, text: found.text, scope: found.scope, ...request.as }, context);
  if ("code" in sound) return sound;
  const { id, scope, confidence, evidence } = found;
  const type = request.as?.type ?? found.type;
  const text = sound.normal.text;
  const edited: readonly ContractChange[] =
    request.as === undefined ? [] : [{ kind: "candidate-edited", id, type, text }];
  const directive: BehaviorDirective = {
    id: context.ids.next("d"),
    type,
    text,
    source: "daily-review",
    confidence,
    evidence,
    createdAt: nextCreation(state, context.now),
    scope,
    candidate: id,
  };
  const placement = placeDirective(allDirectives(state), directive, context);
  const shared = { kind: "accepted", outcome: "promoted", scope, candidate: id } as const;
  switch (placement.kind) {
    case "refused":
      return blocked(found, placement);
    case "said": {
      const changes: readonly ContractChange[] = [...edited, { kind: "candidate-covered", id, of: placement.by.id }];
      return { ...shared, changes, directive: placement.by, warnings: [], next: [listCommand] };
    }
    case "placed": {
      const { absorbed, warnings } = placement;
      const changes: readonly ContractChange[] = [...edited, { kind: "candidate-promoted", id, directive, absorbed }];
      return { ...shared, changes, directive, warnings, next: [undoCommand, listCommand] };
    }
  }
}

/** What is gone already needs no promotion to go. */
function demote(state: ContractState, { id, demotes = "", scope }: Candidate): Step {
  const directive = findDirective(state, demotes);
  if ("code" in directive) return directive;
  return {
    kind: "accepted",
    outcome: "promoted",
    changes: [{ kind: "candidate-demoted", id, directive }],
    scope,
    directive,
    candidate: id,
    warnings: [],
    next: [undoCommand, listCommand],
  };
}

export function decideReject(state: ContractState, { id, reason }: Request<"reject">, context: ChangeContext): Step {
  const found = openCandidate(state, id, context);
  if ("code" in found) return found;
  const because = reason?.trim() || "no reason given";
  return settled("rejected", found, { kind: "candidate-rejected", id, reason: because });
}

export function decideEdit(state: ContractState, { id, type, text }: Request<"edit">, context: ChangeContext): Step {
  const found = openCandidate(state, id, context);
  if ("code" in found) return found;
  if (found.demotes !== undefined) {
    const message = `The candidate '${id}' takes a directive away: there are no words in it to edit.`;
    return refuse("INVALID_CANDIDATE_RECORD", message, "Promote or reject it.", [promoteCommand(id)]);
  }
  const sound = readDraft({ type, text, scope: found.scope }, context);
  if ("code" in sound) return sound;
  const step = settled("edited", found, { kind: "candidate-edited", id, type, text: sound.normal.text });
  return { ...step, next: [promoteCommand(id)] };
}

/** Put off until then; it has its full time again afterwards. */
export function decideSnooze(state: ContractState, { id, until }: Request<"snooze">, context: ChangeContext): Step {
  const found = openCandidate(state, id, context);
  if ("code" in found) return found;
  const time = readTime(until);
  if (time === undefined || isOver(time, context.now)) return badTime("end", until);
  const expiresAt = readTime(isoTime(Date.parse(time) + (context.limits ?? CONTRACT_LIMITS).candidateMs));
  if (expiresAt === undefined) return badTime("end", until);
  return settled("snoozed", found, { kind: "candidate-snoozed", id, until: time, expiresAt });
}

export function openCandidate(state: ContractState, id: string, { now }: ChangeContext): Candidate | Refusal {
  if (id.trim() === "") {
    return refuse("MISSING_CANDIDATE_ID", "No candidate is named.", "Give its id, as the list has it.", [listCommand]);
  }
  const stored = state.candidates.get(id);
  const name = `'${id.slice(0, 80).toWellFormed()}'`;
  if (stored === undefined) {
    return refuse("CANDIDATE_NOT_FOUND", `No candidate has the id ${name}.`, "Take an id from the list.", [
      listCommand,
    ]);
  }
  const candidate = candidateAt(stored, now);
  if (candidate.status === "expired" || isOver(candidate.expiresAt, now)) {
    const message = `The candidate ${name} expired at ${candidate.expiresAt}.`;
    return refuse("CANDIDATE_EXPIRED", message, "If it still holds, add it as a directive of your own.", [listCommand]);
  }
  if (isOpen(candidate)) return candidate;
  const fix =
    "Only a candidate that waits can be decided on. To take a promotion back, undo it or remove its directive.";
  return refuse("CANDIDATE_NOT_PENDING", `The candidate ${name} is ${candidate.status} already.`, fix, [listCommand]);
}

/** It stays pending, with the reason, and can be promoted once that is gone. */
function blocked(candidate: Candidate, refusal: Refusal): Refusal {
  const next = [...refusal.next.filter(({ command }) => !command.includes(" replace ")), promoteCommand(candidate.id)];
  if (candidate.status === "pending" && candidate.blocked === refusal.message) return { ...refusal, next };
  return { ...refusal, next, changes: [{ kind: "candidate-blocked", id: candidate.id, reason: refusal.message }] };
}

function settled(
  outcome: "rejected" | "edited" | "snoozed",
  { id, scope }: Candidate,
  change: ContractChange,
): Extract<Step, { readonly kind: "accepted" }> {
  return { kind: "accepted", outcome, changes: [change], scope, candidate: id, warnings: [], next: [] };
}
