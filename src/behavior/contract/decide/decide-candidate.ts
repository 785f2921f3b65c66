import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import type { BehaviorDirective, Candidate } from "../../../base/words/contract.ts";
import { CONTRACT_LIMITS } from "../active-contract.ts";
import { findMeetings } from "../conflicts.ts";
import { allDirectives, type ContractState, candidateAt, isOpen } from "../contract-state.ts";
import { isOver, isoTime, readTime } from "../iso-time.ts";
import { saysTheSame } from "../parse/comparison-key.ts";
import {
  type Accepted,
  accept,
  badTime,
  type ChangeContext,
  commands,
  type Decide,
  type Refusal,
  refuse,
} from "./change-request.ts";
import { findDirective, nextCreation, placeDirective, readDraft } from "./decide-directive.ts";

const MAX_EVIDENCE = 20;
const MAX_EVIDENCE_CHARS = 1_000;

function recordFault(confidence: number, evidence: readonly string[]): string | undefined {
  if (!(confidence >= 0 && confidence <= 1)) return `The confidence ${confidence} is not between 0 and 1.`;
  if (evidence.length === 0) return "The candidate has no evidence.";
  if (evidence.length > MAX_EVIDENCE)
    return `The candidate has ${evidence.length} pieces of evidence; the limit is ${MAX_EVIDENCE}.`;
  const long = evidence.some((one) => one.length > MAX_EVIDENCE_CHARS);
  return long ? `A piece of evidence has more than ${MAX_EVIDENCE_CHARS} characters.` : undefined;
}

/** Adds a candidate, or evidence to a waiting one. A rejected candidate comes back only with new evidence. */
export const decidePropose: Decide<"propose"> = (state, request, context) => {
  const { confidence, origin, demotes } = request;
  const aim = demotes === undefined ? request : findDirective(state, demotes);
  if ("code" in aim) return aim;
  const { scope: written, type, text } = aim;
  const sound = readDraft({ type, text, scope: written }, context);
  if ("code" in sound) return sound;
  const { scope, normal } = sound;
  const evidence = readEvidence(request.evidence);
  const wrong = recordFault(confidence, evidence);
  if (wrong !== undefined)
    return refuse("INVALID_CANDIDATE_RECORD", wrong, "Add the evidence that supports the proposal.");
  const meetings = demotes === undefined ? findMeetings({ type, text, scope }, allDirectives(state)) : [];
  const inForce = meetings.find(({ kind }) => kind === "repeats" || kind === "absorbed");
  if (inForce !== undefined) return accept("known", scope, [], { directive: inForce.other });
  const same = candidatesOn(state, { type, text: normal.text, scope, demotes });
  const hardened = same.find((one) => one.status === "promoted" && isRule(state, one.directive));
  if (hardened !== undefined) return accept("known", scope, [], { candidate: hardened.id });
  const open = same.find(isOpen);
  // A decided or expired candidate comes back only with new evidence.
  const known = (open === undefined ? same : [open]).find(({ evidence: old }) =>
    evidence.every((one) => old.includes(one)),
  );
  if (known !== undefined) return accept("known", scope, [], { candidate: known.id });
  const expiresAt = isoTime(context.now + (context.limits ?? CONTRACT_LIMITS).candidateMs);
  if (open !== undefined) {
    const more = {
      confidence: Math.max(confidence, open.confidence),
      evidence: [...new Set([...open.evidence, ...evidence])].slice(-MAX_EVIDENCE),
      expiresAt: [open.expiresAt, expiresAt].sort().at(-1) ?? expiresAt,
    };
    const change = { kind: "candidate-merged", id: open.id, ...more } as const;
    return accept("merged", scope, [change], { candidate: open.id, next: [commands.promote(open.id)] });
  }
  const id = context.ids.next("c");
  const shared = { id, type, text: normal.text, scope, confidence, evidence, origin, demotes };
  const candidate: Candidate = { ...shared, createdAt: isoTime(context.now), expiresAt, status: "pending" };
  const change = { kind: "candidate-proposed", candidate } as const;
  return accept("proposed", scope, [change], { candidate: id, next: [commands.promote(id)] });
};

/** A directive that is a rule now needs no proposal. */
function isRule({ rules }: ContractState, id: string): boolean {
  return rules.has(id) || [...rules].some(([, { from }]) => from === id);
}

function readEvidence(written: readonly string[]): readonly string[] {
  const texts = written.map((one) => redactSecrets(one.toWellFormed().trim()));
  return [...new Set(texts)].filter((one) => one !== "");
}

/** Candidates with the same or nearly the same text, newest first. */
function candidatesOn(
  state: ContractState,
  wanted: Pick<Candidate, "type" | "text" | "scope" | "demotes">,
): readonly Candidate[] {
  return [...state.candidates]
    .map(([, candidate]) => candidate)
    .filter(({ type, scope, demotes }) => type === wanted.type && scope === wanted.scope && demotes === wanted.demotes)
    .filter(({ text }) => saysTheSame(text, wanted.text))
    .sort((a, b) => (a.createdAt > b.createdAt ? -1 : 1));
}

/** A person promotes a candidate to a directive; there is no other way into the contract for it. */
export const decidePromote: Decide<"promote"> = (state, request, context) => {
  const found = openCandidate(state, request.id, context);
  if ("code" in found) return found;
  if (found.demotes !== undefined) return demote(state, found);
  const sound = readDraft({ type: found.type, text: found.text, scope: found.scope, ...request.as }, context);
  if ("code" in sound) return sound;
  const { id, scope, confidence, evidence } = found;
  const type = request.as?.type ?? found.type;
  const text = sound.normal.text;
  const edited = request.as === undefined ? [] : [{ kind: "candidate-edited", id, type, text } as const];
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
  if (placement.kind === "refused") return blocked(found, placement);
  if (placement.kind === "said") {
    const changes = [...edited, { kind: "candidate-covered", id, of: placement.by.id } as const];
    return accept("promoted", scope, changes, { candidate: id, directive: placement.by, next: [commands.list] });
  }
  const { absorbed, warnings } = placement;
  const changes = [...edited, { kind: "candidate-promoted", id, directive, absorbed } as const];
  return accept("promoted", scope, changes, {
    candidate: id,
    directive,
    warnings,
    next: [commands.undo, commands.list],
  });
};

function demote(state: ContractState, { id, demotes = "", scope }: Candidate): Accepted | Refusal {
  const directive = findDirective(state, demotes);
  if ("code" in directive) return directive;
  const change = { kind: "candidate-demoted", id, directive } as const;
  return accept("promoted", scope, [change], { directive, candidate: id, next: [commands.undo, commands.list] });
}

export const decideReject: Decide<"reject"> = (state, { id, reason }, context) => {
  const found = openCandidate(state, id, context);
  if ("code" in found) return found;
  const change = { kind: "candidate-rejected", id, reason: reason?.trim() || "no reason given" } as const;
  return accept("rejected", found.scope, [change], { candidate: id });
};

export const decideEdit: Decide<"edit"> = (state, { id, type, text }, context) => {
  const found = openCandidate(state, id, context);
  if ("code" in found) return found;
  if (found.demotes !== undefined) {
    const message = `The candidate '${id}' proposes to remove a directive, so it has no text to edit.`;
    return refuse("INVALID_CANDIDATE_RECORD", message, "Promote or reject it.", [commands.promote(id)]);
  }
  const sound = readDraft({ type, text, scope: found.scope }, context);
  if ("code" in sound) return sound;
  const change = { kind: "candidate-edited", id, type, text: sound.normal.text } as const;
  return accept("edited", found.scope, [change], { candidate: id, next: [commands.promote(id)] });
};

/** The candidate gets its full time again when the snooze ends. */
export const decideSnooze: Decide<"snooze"> = (state, { id, until }, context) => {
  const found = openCandidate(state, id, context);
  if ("code" in found) return found;
  const time = readTime(until);
  if (time === undefined || isOver(time, context.now)) return badTime("end", until);
  const expiresAt = readTime(isoTime(Date.parse(time) + (context.limits ?? CONTRACT_LIMITS).candidateMs));
  if (expiresAt === undefined) return badTime("end", until);
  const change = { kind: "candidate-snoozed", id, until: time, expiresAt } as const;
  return accept("snoozed", found.scope, [change], { candidate: id });
};

export function openCandidate(state: ContractState, id: string, { now }: ChangeContext): Candidate | Refusal {
  if (id.trim() === "") {
    return refuse("MISSING_CANDIDATE_ID", "The candidate's id is missing.", "Copy the id from the list.", [
      commands.list,
    ]);
  }
  const stored = state.candidates.get(id);
  const name = `'${id.slice(0, 80).toWellFormed()}'`;
  if (stored === undefined) {
    const message = `No candidate has the id ${name}.`;
    return refuse("CANDIDATE_NOT_FOUND", message, "Copy the id from the list.", [commands.list]);
  }
  const candidate = candidateAt(stored, now);
  if (candidate.status === "expired" || isOver(candidate.expiresAt, now)) {
    const message = `The candidate ${name} expired at ${candidate.expiresAt}.`;
    return refuse("CANDIDATE_EXPIRED", message, "If you still want it, add it as a directive.", [commands.list]);
  }
  if (isOpen(candidate)) return candidate;
  const fix = "Only a pending candidate can be decided on. To revoke a promotion, undo it or remove its directive.";
  return refuse("CANDIDATE_NOT_PENDING", `The candidate ${name} is already ${candidate.status}.`, fix, [commands.list]);
}

/** The candidate stays pending, with the reason, and can be promoted once the reason is gone. */
function blocked(candidate: Candidate, refusal: Refusal): Refusal {
  const next = [
    ...refusal.next.filter(({ command }) => !command.includes(" replace ")),
    commands.promote(candidate.id),
  ];
  if (candidate.status === "pending" && candidate.blocked === refusal.message) return { ...refusal, next };
  return { ...refusal, next, changes: [{ kind: "candidate-blocked", id: candidate.id, reason: refusal.message }] };
}
