import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import type { Candidate, ContractScope, DirectiveType } from "../../../base/words/contract.ts";
import { findMeetings } from "../conflicts.ts";
import { CONTRACT_LIMITS } from "../contract-limits.ts";
import { allDirectives, type ContractState } from "../contract-state.ts";
import { isoTime } from "../iso-time.ts";
import { saysTheSame } from "../parse/sounds-like.ts";
import type { ChangeContext, ChangeRequest, Step } from "./change-request.ts";
import { findDirective, readDraft } from "./decide-directive.ts";
import { isOpen } from "./fold-candidates.ts";
import { promoteCommand } from "./next-commands.ts";
import { refuse } from "./refusals.ts";

type Proposal = Extract<ChangeRequest, { readonly kind: "propose" }>;

const MAX_EVIDENCE = 20;
const MAX_EVIDENCE_CHARS = 1_000;

function recordFault(confidence: number, evidence: readonly string[]): string | undefined {
  if (!(confidence >= 0 && confidence <= 1)) return `The confidence ${confidence} is not between 0 and 1.`;
  if (evidence.length === 0) return "The candidate has no evidence.";
  if (evidence.length > MAX_EVIDENCE)
    return `The candidate has ${evidence.length} pieces of evidence, at most ${MAX_EVIDENCE} are kept.`;
  const long = evidence.some((one) => one.length > MAX_EVIDENCE_CHARS);
  return long ? `A piece of evidence has more than ${MAX_EVIDENCE_CHARS} characters.` : undefined;
}

/**
 * A new candidate, or more evidence for one that waits. What is in force is not proposed again, and what was rejected only
 * on evidence that was not there then.
 */
export function decidePropose(state: ContractState, request: Proposal, context: ChangeContext): Step {
  const { confidence, origin, demotes } = request;
  const aim = demotes === undefined ? request : findDirective(state, demotes);
  if ("code" in aim) return aim;
  const { scope: written, type, text } = aim;
  const sound = readDraft({ type, text, scope: written }, context);
  if ("code" in sound) return sound;
  const { scope, normal } = sound;
  const evidence = readEvidence(request.evidence);
  const wrong = recordFault(confidence, evidence);
  if (wrong !== undefined) return refuse("INVALID_CANDIDATE_RECORD", wrong, "Propose it with what shows it.");
  const shared = { kind: "accepted", scope, warnings: [], next: [] } as const;
  const inForce =
    demotes === undefined
      ? findMeetings({ type, text, scope }, allDirectives(state)).find(
          ({ kind }) => kind === "repeats" || kind === "absorbed",
        )
      : undefined;
  if (inForce !== undefined) return { ...shared, outcome: "known", changes: [], directive: inForce.other };
  const same = candidatesOn(state, { type, text: normal.text, scope, demotes });
  const hardened = same.find((one) => one.status === "promoted" && isRule(state, one.directive));
  if (hardened !== undefined) return { ...shared, outcome: "known", changes: [], candidate: hardened.id };
  const open = same.find(isOpen);
  // What was decided once, or ran out of time, comes back on something new only.
  const known = (open === undefined ? same : [open]).find(({ evidence: old }) =>
    evidence.every((one) => old.includes(one)),
  );
  if (known !== undefined) return { ...shared, outcome: "known", changes: [], candidate: known.id };
  const expiresAt = isoTime(context.now + (context.limits ?? CONTRACT_LIMITS).candidateMs);
  if (open !== undefined) {
    const more = {
      confidence: Math.max(confidence, open.confidence),
      evidence: [...new Set([...open.evidence, ...evidence])].slice(-MAX_EVIDENCE),
      expiresAt: [open.expiresAt, expiresAt].sort().at(-1) ?? expiresAt,
    };
    const changes = [{ kind: "candidate-merged", id: open.id, ...more }] as const;
    return { ...shared, outcome: "merged", changes, candidate: open.id, next: [promoteCommand(open.id)] };
  }
  const id = context.ids.next("c");
  const times = { createdAt: isoTime(context.now), expiresAt };
  const candidate: Candidate = {
    id,
    type,
    text: normal.text,
    scope,
    confidence,
    evidence,
    ...times,
    ...(origin === undefined ? {} : { origin }),
    ...(demotes === undefined ? {} : { demotes }),
    status: "pending",
  };
  const changes = [{ kind: "candidate-proposed", candidate }] as const;
  return { ...shared, outcome: "proposed", changes, candidate: id, next: [promoteCommand(id)] };
}

/** What binds as a rule is asked for already: while it is there, nothing is proposed beside it. */
function isRule({ rules }: ContractState, id: string): boolean {
  return rules.has(id) || [...rules].some(([, { from }]) => from === id);
}

function readEvidence(written: readonly string[]): readonly string[] {
  const texts = written.map((one) => redactSecrets(one.toWellFormed().trim()));
  return [...new Set(texts)].filter((one) => one !== "");
}

type Wanted = {
  readonly type: DirectiveType;
  readonly text: string;
  readonly scope: ContractScope;
  readonly demotes: string | undefined;
};

/** Those that say the same, or nearly so; the newest first. */
function candidatesOn(state: ContractState, wanted: Wanted): readonly Candidate[] {
  return [...state.candidates]
    .map(([, candidate]) => candidate)
    .filter(({ type, scope, demotes }) => type === wanted.type && scope === wanted.scope && demotes === wanted.demotes)
    .filter(({ text }) => saysTheSame(text, wanted.text))
    .sort((a, b) => (a.createdAt > b.createdAt ? -1 : 1));
}
