import type { Candidate } from "../../../base/words/contract.ts";
import { type ContractState, candidateAt, isOpen } from "../../../behavior/contract/contract-state.ts";
import { isOver } from "../../../behavior/contract/iso-time.ts";
import { writeDirective } from "../../../behavior/contract/parse/directive-form.ts";
import { readEvidence } from "../review/evidence.ts";
import type { ReviewRecord } from "../review/steps.ts";

export type DigestItem = {
  readonly candidate: Candidate;
  /** Its effect on the contract, in one line. */
  readonly would: string;
  readonly evidence: readonly { readonly quote: string; readonly session?: string; readonly event?: string }[];
  /** True if this run created the candidate. */
  readonly isNew: boolean;
};

/** The operator's summary after a run: waiting candidates, observations, and results of shadow rules. */
export type Digest = {
  readonly record?: ReviewRecord;
  readonly items: readonly DigestItem[];
  /** Standing rules whose shadow period is over. */
  readonly rules: readonly string[];
};

/** Leaves out snoozed candidates. Highest confidence first. */
export function buildDigest(state: ContractState, now: number, record?: ReviewRecord): Digest {
  const fresh = new Set([...(record?.proposed ?? []), ...(record?.merged ?? [])]);
  const items = [...state.candidates]
    .map(([, one]) => candidateAt(one, now))
    .filter((one) => isOpen(one) && one.status === "pending" && !isOver(one.expiresAt, now))
    .map((candidate) => digestItem(candidate, fresh.has(candidate.id)))
    .sort((a, b) => Number(b.isNew) - Number(a.isNew) || b.candidate.confidence - a.candidate.confidence);
  const rules = [...state.rules].flatMap(([id, rule]) =>
    rule.status === "shadow" && isOver(rule.until, now) ? [id] : [],
  );
  return { ...(record === undefined ? {} : { record }), items, rules };
}

export function digestItem(candidate: Candidate, isNew = false): DigestItem {
  const line = writeDirective(candidate);
  const where = candidate.scope === "global" ? "everybody" : candidate.scope;
  const would =
    candidate.demotes === undefined ? `would tell ${where}: ${line}` : `would take ${candidate.demotes} away: ${line}`;
  const evidence = candidate.evidence.map((written) => readEvidence(written) ?? { quote: written });
  return { candidate, would, evidence, isNew };
}
