import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import { allDirectives, type ContractState } from "../../../behavior/contract/contract-state.ts";
import type { ReviewNews } from "../../../engine/governance/contract-service.ts";
import { findCadence, MeasureSessions } from "./cadence/find-cadence.ts";
import { MOST_EVIDENCE } from "./count-seen.ts";
import { findCorrections } from "./cues/find-corrections.ts";
import { type Looked, lookAt, type Watcher } from "./look.ts";
import { askModel } from "./model/ask-model.ts";
import { keepRun, pastRuns } from "./past-runs.ts";
import { findDemotions } from "./patterns/demotion.ts";
import { deniedThenMet } from "./patterns/denied-then-met.ts";
import { notFollowed } from "./patterns/not-followed.ts";
import { overridden } from "./patterns/overridden.ts";
import { stopRefused, toolResults } from "./patterns/stop-refused.ts";
import { findingText, proposeFindings } from "./propose.ts";
import { Said } from "./said.ts";
import {
  type Finding,
  isPersons,
  REVIEW_THRESHOLDS,
  REVIEWER,
  type ReviewedFinding,
  type ReviewRecord,
  type ReviewSteps,
  type ReviewThresholds,
  type ReviewWindow,
  type ReviewWorld,
} from "./steps.ts";

type WindowFigures = Pick<ReviewRecord, "sessions" | "messages" | "decisions">;

class CountWindow {
  readonly #sessions = new Set<string>();
  #messages = 0;
  #decisions = 0;

  see({ event, isNew }: Looked): void {
    if (!isNew) return;
    this.#sessions.add(event.session);
    if (event.type === "message") this.#messages += 1;
    if (event.type === "call" || event.type === "stop") this.#decisions += 1;
  }

  get figures(): WindowFigures {
    return { sessions: this.#sessions.size, messages: this.#messages, decisions: this.#decisions };
  }
}

/** For a process that continues another process's run. */
async function countWindow(events: EventJournal, window: ReviewWindow): Promise<WindowFigures> {
  const count = new CountWindow();
  for await (const looked of lookAt(events, window, 0)) count.see(looked);
  return count.figures;
}

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
  /** Avoids counting a window twice in the same process. */
  let counted: { readonly run: string; readonly figures: WindowFigures } | undefined;
  return {
    window: (now) => findWindow(world, now, thresholds.lookBackMs),
    async find(window) {
      const { findings, figures } = await findAll(world, window, thresholds);
      counted = { run: window.run, figures };
      return findings;
    },
    async ask(window) {
      return reviewer === undefined ? { findings: [] } : askModel(reviewer, events, window);
    },
    propose: (_window, findings) =>
      proposeFindings(contracts, findings, thresholds, { now: clock.now(), model: reviewer?.model }),
    adherence: (window) => world.measure(window),
    async finish(window, reviewed, adherence, model) {
      const figures = counted?.run === window.run ? counted.figures : await countWindow(events, window);
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

type Found = { readonly findings: readonly Finding[]; readonly figures: WindowFigures };

/**
 * Findings of the built-in reviewer, from counts and people's messages. Reads the journal once; the same window gives
 * the same findings.
 */
async function findAll(world: ReviewWorld, window: ReviewWindow, thresholds: ReviewThresholds): Promise<Found> {
  const count = new CountWindow();
  const said = new Said(world.events);
  const cadence = new MeasureSessions();
  const watchers: readonly Watcher[] = [deniedThenMet, overridden, toolResults, stopRefused].map((watch) =>
    watch(thresholds),
  );
  const fresh = new Set<string>();
  for await (const looked of lookAt(world.events, window, thresholds.lookBackMs)) {
    count.see(looked);
    said.see(looked.event);
    cadence.see(looked);
    if (looked.isNew && looked.event.type === "message") fresh.add(looked.event.id);
    for (const watcher of watchers) watcher.see(looked);
  }
  const state = await world.contracts.state();
  const wishes = findCorrections(await said.messages(), { echoes: ownWords(state) });
  const corrections = wishes
    .filter(({ evidence }) => evidence.some(({ event }) => fresh.has(event)))
    .map((finding) => ({ ...finding, evidence: finding.evidence.filter((one) => said.has(one)).slice(-MOST_EVIDENCE) }))
    .filter(({ evidence }) => evidence.length > 0);
  const corrected = wishes.filter(({ good }) => !good).flatMap(({ evidence }) => evidence);
  const measured = cadence.measured(new Set(corrected.map(({ session }) => session)));
  const counted = watchers.flatMap((watcher) => watcher.findings());
  const findings = [
    ...corrections,
    ...counted,
    ...(await findUnfollowed(world, window, thresholds, counted)),
    ...findCadence(measured, thresholds),
    ...(await demotionsOf(world, state, corrections, thresholds)),
  ];
  return { findings, figures: count.figures };
}

/** Texts worded by the review itself and shown in a digest: repeating one is not a person's own wish. */
function ownWords({ candidates }: ContractState): readonly string[] {
  return [...candidates].flatMap(([, { text, origin, demotes }]) =>
    demotes !== undefined || origin === undefined || isPersons(origin.pattern) ? [] : [text],
  );
}

/** Leaves out rules whose denials already give a better finding. */
async function findUnfollowed(
  { events, governance, contracts, measure }: ReviewWorld,
  window: ReviewWindow,
  thresholds: ReviewThresholds,
  counted: readonly Finding[],
): Promise<readonly Finding[]> {
  const since = window.from - thresholds.lookBackMs;
  const runs = (await pastRuns(governance)).filter((run) => run.window.upTo <= window.after && run.window.to >= since);
  const rows = { now: await measure(window), before: runs.flatMap(({ adherence }) => adherence) };
  const found = await notFollowed(rows, allDirectives(await contracts.state()), events, thresholds);
  return found.filter(({ subject }) => !counted.some((one) => one.subject === subject));
}

async function demotionsOf(
  { contracts }: ReviewWorld,
  state: ContractState,
  corrections: readonly Finding[],
  thresholds: ReviewThresholds,
): Promise<readonly Finding[]> {
  const history = state.tallies.size === 0 ? [] : await contracts.events({ limit: Number.MAX_SAFE_INTEGER });
  return findDemotions(state, corrections, history.toReversed(), thresholds);
}
