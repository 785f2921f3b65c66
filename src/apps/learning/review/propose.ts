import type { Candidate } from "../../../base/words/contract.ts";
import type { ContractState } from "../../../behavior/contract/contract-state.ts";
import { saysTheSame } from "../../../behavior/contract/parse/comparison-key.ts";
import { keywordOf } from "../../../behavior/contract/parse/directive-form.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import { calibrate, decidedOutcomes } from "./confidence/calibrate.ts";
import { MOST_EVIDENCE } from "./count-seen.ts";
import { GOVERNANCE, MARK_CHARS, writeEvidence } from "./evidence.ts";
import {
  type Evidence,
  type Finding,
  isPersons,
  REVIEWER,
  type ReviewedFinding,
  type ReviewThresholds,
} from "./steps.ts";

/** Proposes findings with enough confidence. Idempotent: the contract identifies candidates by their evidence. */
export async function proposeFindings(
  contracts: ContractService,
  findings: readonly Finding[],
  thresholds: ReviewThresholds,
  { now, model }: { readonly now: number; readonly model?: string | undefined },
): Promise<readonly ReviewedFinding[]> {
  const state = await contracts.state();
  if (state.fault !== undefined) throw new Error(`nothing can be proposed: ${state.fault.message}`);
  const calibration = calibrate(decidedOutcomes(state), thresholds.outcomes);
  const reviewed: ReviewedFinding[] = [];
  const known = [...state.candidates].map(([, one]) => one).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  for (const finding of mergeFindings(findings.map((one) => inKnownWords(one, known)))) {
    const confidence = calibration.of(finding.pattern, finding.confidence);
    const why = tooLittle({ ...finding, confidence }, state, thresholds, now);
    if (why !== undefined) {
      reviewed.push({ finding, ...why });
      continue;
    }
    await markHarm(contracts, finding);
    reviewed.push(await propose(contracts, finding, confidence, model));
  }
  return reviewed;
}

/** Why a finding is not proposed; `undefined` if it may be. */
function tooLittle(
  finding: Finding,
  { candidates }: ContractState,
  { confidence, times }: ReviewThresholds,
  now: number,
): Pick<ReviewedFinding, "outcome" | "candidate" | "why"> | undefined {
  if (finding.confidence < confidence)
    return { outcome: "below-threshold", why: `${finding.confidence} is less than ${confidence}` };
  const rejections = [...candidates]
    .flatMap(([, one]) => (one.status === "rejected" && isSame(one, finding) ? [one] : []))
    .sort((a, b) => (a.createdAt > b.createdAt ? -1 : 1));
  const [newest] = rejections;
  if (newest === undefined) return undefined;
  const known = new Set(rejections.flatMap(({ evidence }) => evidence));
  const fresh = finding.evidence.filter((one) => !known.has(writeEvidence(one))).length;
  const counted = COUNTED.has(finding.pattern);
  if (fresh >= (counted ? times : 1) && !(counted && now < Date.parse(newest.expiresAt))) return undefined;
  const since = fresh === 0 ? "nothing new" : `${fresh} new`;
  return { outcome: "known", candidate: newest.id, why: `rejected (${newest.reason}), with ${since} since` };
}

/**
 * After a rejection, a counted pattern must be seen often enough again, and the rejected candidate's expiry must have
 * passed. A person's message counts alone and immediately.
 */
const COUNTED: ReadonlySet<Finding["pattern"]> = new Set([
  ...(["denied-then-met", "overridden", "not-followed", "tool-fails"] as const),
  ...(["stop-refused", "truncated", "cadence"] as const),
]);

/** An objection to a directive marks it as harmful; each message counts once. */
async function markHarm(contracts: ContractService, { demotes, evidence }: Finding): Promise<void> {
  if (demotes === undefined) return;
  for (const one of evidence) {
    if (one.session === GOVERNANCE) continue;
    await contracts.change(
      { kind: "mark", id: demotes, mark: "harmful", evidence: writeEvidence(one, MARK_CHARS) },
      REVIEWER,
    );
  }
}

async function propose(
  contracts: ContractService,
  finding: Finding,
  confidence: number,
  model: string | undefined,
): Promise<ReviewedFinding> {
  const { pattern, good, type, text, scope, subject, evidence, demotes, confidence: raw } = finding;
  const origin = { pattern, good, raw, subject, reviewer: pattern === "model" ? model : undefined };
  const quotes = evidence.map((one) => writeEvidence(one));
  const decision = await contracts.change(
    { kind: "propose", type, text, scope, confidence, origin, evidence: quotes, demotes },
    REVIEWER,
  );
  if (decision.kind === "refused") return { finding, outcome: "refused", why: decision.message };
  const { outcome, candidate, directive } = decision;
  if (outcome === "proposed" || outcome === "merged") return { finding, outcome, candidate: candidate?.id };
  const why = directive && `'${directive.id}' already says it`;
  return { finding, outcome: "known", candidate: candidate?.id, why };
}

/** As a person would write it. */
export function findingText({ type, text, demotes }: Finding): string {
  const written = `${keywordOf(type)}: ${text}`;
  return demotes === undefined ? written : `remove ${demotes}, '${written}'`;
}

/** Merges equal findings: the highest confidence, the evidence of all. Ordered by first occurrence. */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  const merged: Finding[] = [];
  for (const finding of findings) {
    const at = merged.findIndex((one) => isSame(one, finding));
    const before = merged[at];
    if (before === undefined) merged.push({ ...finding, evidence: newest(finding.evidence) });
    else merged[at] = both(before, finding);
  }
  return merged;
}

/**
 * Reuses the wording of an earlier candidate for the same wish: another wording would create a second candidate or
 * bring back a rejected one.
 */
function inKnownWords(finding: Finding, candidates: Iterable<Candidate>): Finding {
  if (!isPersons(finding.pattern)) return finding;
  const shown = new Set(finding.evidence.map((one) => writeEvidence(one)));
  const known = [...candidates].findLast(
    ({ scope, demotes, origin, evidence }) =>
      scope === finding.scope &&
      demotes === undefined &&
      isPersons(origin?.pattern ?? "") &&
      evidence.some((one) => shown.has(one)),
  );
  return known === undefined ? finding : { ...finding, type: known.type, text: known.text };
}

/** Whether both would be one candidate. */
export function isSame(
  a: Pick<Finding, "type" | "scope" | "text" | "demotes">,
  b: Pick<Finding, "type" | "scope" | "text" | "demotes">,
): boolean {
  return a.type === b.type && a.scope === b.scope && a.demotes === b.demotes && saysTheSame(a.text, b.text);
}

function both(a: Finding, b: Finding): Finding {
  const surer = b.confidence > a.confidence ? b : a;
  return { ...surer, text: a.text, evidence: newest([...a.evidence, ...b.evidence]) };
}

/** Removes duplicates and returns the newest; evidence is ordered by time. */
function newest(evidence: readonly Evidence[]): readonly Evidence[] {
  return [...new Map(evidence.map((one) => [writeEvidence(one), one])).values()].slice(-MOST_EVIDENCE);
}
