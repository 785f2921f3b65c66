import type { ReviewNews } from "../../../engine/governance/contract-service.ts";
import { countWindow, lookThrough, type WindowFigures, type WindowSeen } from "./look-through.ts";
import { askModel } from "./model/ask-model.ts";
import { keepRun, pastRuns } from "./past-runs.ts";
import { findingText, proposeFindings } from "./propose.ts";
import {
  REVIEW_THRESHOLDS,
  REVIEWER,
  type ReviewedFinding,
  type ReviewRecord,
  type ReviewSteps,
  type ReviewWindow,
  type ReviewWorld,
} from "./steps.ts";

const MOST_PATTERNS = 50;

function recordOf(
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
    model,
  };
}

function newsOf({ window, proposed, merged, refused, at, by, sessions, messages }: ReviewRecord): ReviewNews {
  const { run } = window;
  const counts = { proposed: proposed.length, merged: merged.length, refused: refused.length };
  return { kind: "reviewed", at, by, run, sessions, messages, ...counts };
}

/** Proposed patterns, and counted ones worth a look, with their figures. */
function patternsOf(reviewed: readonly ReviewedFinding[], good: boolean): ReviewRecord["good_patterns"] {
  return reviewed
    .filter(({ finding, outcome }) => finding.good === good && outcome !== "refused")
    .filter(({ finding, outcome }) => outcome !== "below-threshold" || finding.seen !== undefined)
    .slice(0, MOST_PATTERNS)
    .map(({ finding, candidate }) => {
      const text = findingText(finding);
      return { text: finding.seen === undefined ? text : `${text} (${finding.seen})`, candidate };
    });
}

/** The daily review. Only proposes; never changes what is in force. */
export function reviewSteps(world: ReviewWorld): ReviewSteps {
  const thresholds = { ...REVIEW_THRESHOLDS, ...world.thresholds };
  const { events, governance, contracts, clock, reviewer } = world;
  /** Avoids looking through a window twice in the same process. */
  let seen: (WindowSeen & { readonly run: string }) | undefined;
  return {
    window: (now) => findWindow(world, now, thresholds.lookBackMs),
    async find(window) {
      const look = world.look ?? ((...asked) => lookThrough(world, ...asked));
      seen = { ...(await look(window, thresholds)), run: window.run };
      return seen.findings;
    },
    async ask(window) {
      return reviewer === undefined ? { findings: [] } : askModel(reviewer, events, window);
    },
    propose: (_window, findings) =>
      proposeFindings(contracts, findings, thresholds, { now: clock.now(), model: reviewer?.model }),
    adherence: async (window) => (seen?.run === window.run ? seen.adherence : world.measure(window)),
    async finish(window, reviewed, adherence, model) {
      const figures = seen?.run === window.run ? seen.figures : await countWindow(events, window);
      const record = recordOf(window, reviewed, { adherence, model, at: clock.now() }, figures);
      const kept = await keepRun(governance, record);
      if (kept === record) contracts.tellNews(newsOf(record));
      return kept;
    },
    digest: (record) => world.deliver(record),
  };
}

/**
 * From the end of the last finished run to the newest event: late events get later positions, so the next run covers
 * them. The first run covers the look-back period.
 */
async function findWindow(
  { events, governance }: Pick<ReviewWorld, "events" | "governance">,
  now: number,
  lookBackMs: number,
): Promise<ReviewWindow | "nothing"> {
  const runs = await pastRuns(governance);
  const last = runs.reduce((most, { window }) => Math.max(most, window.upTo), 0);
  const since = runs.length === 0 ? { since: now - lookBackMs } : {};
  const [first] = await events.follow({ after: last, limit: 1, ...since });
  if (first === undefined) return "nothing";
  const upTo = await events.head();
  const [newest] = (await events.read({ before: upTo, limit: 1 })).events;
  const times = [first.event.at, newest?.event.at ?? first.event.at];
  const after = runs.length === 0 ? first.position - 1 : last;
  return { run: `review-${after}-${upTo}`, after, upTo, from: Math.min(...times), to: Math.max(...times) };
}
