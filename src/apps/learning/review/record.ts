import type { WindowFigures } from "./count-window.ts";
import { findingText } from "./propose.ts";
import type { ReviewedFinding, ReviewRecord, ReviewWindow } from "./steps.ts";
import { REVIEWER } from "./world.ts";

/** Patterns told in one record. */
const MOST_PATTERNS = 50;

/** What a run came to, as it is kept. */
export function recordOf(
  window: ReviewWindow,
  reviewed: readonly ReviewedFinding[],
  { adherence, model, at }: Pick<ReviewRecord, "adherence" | "at"> & { readonly model: ReviewRecord["model"] },
  figures: WindowFigures,
): ReviewRecord {
  const candidates = (outcome: ReviewedFinding["outcome"]) =>
    reviewed.flatMap((one) => (one.outcome === outcome && one.candidate !== undefined ? [one.candidate] : []));
  return {
    ...{ window, at, by: REVIEWER, ...figures },
    found: reviewed.length,
    proposed: candidates("proposed"),
    merged: candidates("merged"),
    known: reviewed.filter(({ outcome }) => outcome === "known").length,
    refused: reviewed.flatMap(({ outcome, finding, why = "" }) =>
      outcome === "refused" ? [{ text: findingText(finding), why }] : [],
    ),
    good_patterns: patternsOf(reviewed, true),
    bad_patterns: patternsOf(reviewed, false),
    adherence,
    ...(model === undefined ? {} : { model }),
  };
}

/** What was proposed, and what was only counted and is worth a look; the figures beside it. */
function patternsOf(reviewed: readonly ReviewedFinding[], good: boolean): ReviewRecord["good_patterns"] {
  return reviewed
    .filter(({ finding, outcome }) => finding.good === good && outcome !== "refused")
    .filter(({ finding, outcome }) => outcome !== "below-threshold" || finding.seen !== undefined)
    .slice(0, MOST_PATTERNS)
    .map(({ finding, candidate }) => {
      const text = findingText(finding);
      return {
        text: finding.seen === undefined ? text : `${text} (${finding.seen})`,
        ...(candidate === undefined ? {} : { candidate }),
      };
    });
}
