import type { Candidate } from "../../../base/words/contract.ts";
import { saysTheSame } from "../../../behavior/contract/parse/sounds-like.ts";
import { MOST_EVIDENCE } from "./count-seen.ts";
import { writeEvidence } from "./evidence.ts";
import { type Evidence, type Finding, isPersons } from "./finding.ts";

/** Findings that say the same become one: as sure as the surest, with the evidence of all. The order stays that of the first of each. */
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
 * A person's wish in the words of the candidate that was made of it before: what they say later may be put better, and would be a
 * second candidate, or bring one back that was rejected.
 */
export function inKnownWords(finding: Finding, candidates: Iterable<Candidate>): Finding {
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

/** Without repeats, the last ones: evidence comes in the order of time. */
function newest(evidence: readonly Evidence[]): readonly Evidence[] {
  return [...new Map(evidence.map((one) => [writeEvidence(one), one])).values()].slice(-MOST_EVIDENCE);
}
