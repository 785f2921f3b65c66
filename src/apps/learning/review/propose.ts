import type { ContractState } from "../../../behavior/contract/contract-state.ts";
import { keywordOf } from "../../../behavior/contract/parse/keywords.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import { calibrate } from "./confidence/calibrate.ts";
import { decidedOutcomes } from "./confidence/outcomes.ts";
import { GOVERNANCE, MARK_CHARS, writeEvidence } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import { inKnownWords, isSame, mergeFindings } from "./merge-findings.ts";
import type { ReviewedFinding } from "./steps.ts";
import type { ReviewThresholds } from "./thresholds.ts";
import { REVIEWER } from "./world.ts";

/** Proposes what is sure enough. Done again, nothing changes: the contract knows its candidates by their evidence. */
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

/** Whether it is not proposed, and why. */
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
 * What is only counted has to be seen often enough again after a rejection, and not before the rejected one would have expired; a
 * person's word counts by itself, and at once.
 */
const COUNTED: ReadonlySet<Finding["pattern"]> = new Set([
  ...(["denied-then-met", "overridden", "not-followed", "tool-fails"] as const),
  ...(["stop-refused", "truncated", "cadence"] as const),
]);

/** Who speaks against a directive says that it does harm; each word of theirs counts once. */
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
  const origin = {
    ...{ pattern, good, raw },
    ...(subject === undefined ? {} : { subject }),
    ...(pattern === "model" && model !== undefined ? { reviewer: model } : {}),
  };
  const decision = await contracts.change(
    {
      ...{ kind: "propose", type, text, scope, confidence, origin },
      evidence: evidence.map((one) => writeEvidence(one)),
      ...(demotes === undefined ? {} : { demotes }),
    },
    REVIEWER,
  );
  if (decision.kind === "refused") return { finding, outcome: "refused", why: decision.message };
  const { outcome, candidate, directive } = decision;
  const named = candidate === undefined ? {} : { candidate: candidate.id };
  if (outcome === "proposed" || outcome === "merged") return { finding, outcome, ...named };
  return {
    finding,
    outcome: "known",
    ...named,
    ...(directive === undefined ? {} : { why: `'${directive.id}' says it` }),
  };
}

/** As a person writes it. */
export function findingText({ type, text, demotes }: Finding): string {
  const written = `${keywordOf(type)}: ${text}`;
  return demotes === undefined ? written : `remove ${demotes}, '${written}'`;
}
