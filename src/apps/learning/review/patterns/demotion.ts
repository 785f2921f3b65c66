import type { BehaviorDirective, ContractEvent } from "../../../../base/words/contract.ts";
import { findMeetings } from "../../../../behavior/contract/conflicts.ts";
import { allDirectives, type ContractState, type Tally } from "../../../../behavior/contract/contract-state.ts";
import { grownConfidence, MOST_EVIDENCE } from "../count-seen.ts";
import { GOVERNANCE, MARK_CHARS, readEvidence, writeEvidence } from "../evidence.ts";
import type { Evidence, Finding, ReviewThresholds } from "../steps.ts";

const BASE = 0.7;

/**
 * Directives with too many harm marks, and those that people object to. An objection counts as a mark before it is
 * written as one, so that a repeated review gives the same result.
 */
export function findDemotions(
  state: ContractState,
  corrections: readonly Finding[],
  history: readonly ContractEvent[],
  { marks }: ReviewThresholds,
): readonly Finding[] {
  const directives = allDirectives(state);
  const spoken = spokenAgainst(directives, corrections);
  const marked = directives.flatMap((directive): readonly Finding[] => {
    const { helpful, harmful: counted, seen } = state.tallies.get(directive.id) ?? NO_MARKS;
    const words = spoken.filter(({ demotes }) => demotes === directive.id).flatMap(({ evidence }) => evidence);
    const harmful = counted + words.filter((one) => !seen.includes(writeEvidence(one, MARK_CHARS))).length;
    if (helpful + harmful < marks || harmful <= helpful) return [];
    const evidence = [...marksOf(directive, history), ...words];
    if (evidence.length === 0) return [];
    const figures = `marked harmful ${harmful} times, helpful ${helpful} times`;
    return [demotionOf(directive, evidence, grownConfidence(BASE, harmful - helpful, 1), figures)];
  });
  return [...marked, ...spoken];
}

const NO_MARKS: Tally = { helpful: 0, harmful: 0, seen: [] };

/** A correction objects to a directive if both cannot be in force. Merely similar wording decides nothing. */
function spokenAgainst(directives: readonly BehaviorDirective[], corrections: readonly Finding[]): readonly Finding[] {
  return corrections.flatMap((correction) =>
    findMeetings(correction, directives)
      .filter(({ kind }) => kind === "conflict")
      .map(({ other }) => {
        const evidence = correction.evidence.map((one) => readEvidence(writeEvidence(one, MARK_CHARS)) ?? one);
        return demotionOf(other, evidence, correction.confidence, "people objected to it");
      }),
  );
}

function demotionOf(
  { id, type, text, scope }: BehaviorDirective,
  evidence: readonly Evidence[],
  confidence: number,
  seen: string,
): Finding {
  return {
    ...{ pattern: "demotion", good: false, type, text, scope, subject: id, demotes: id },
    confidence,
    evidence,
    seen,
  };
}

/** Marks made by hand exist only in the governance journal. */
function marksOf({ id }: BehaviorDirective, history: readonly ContractEvent[]): readonly Evidence[] {
  return history
    .flatMap((event): readonly Evidence[] => {
      if (event.kind !== "directive-marked" || event.id !== id || event.mark !== "harmful") return [];
      const kept = event.evidence === undefined ? undefined : readEvidence(event.evidence);
      return [kept ?? { session: GOVERNANCE, event: String(event.seq), quote: event.note ?? event.mark }];
    })
    .slice(-MOST_EVIDENCE);
}
