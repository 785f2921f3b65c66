import type { AdherenceRow } from "../../../base/ports/stores/adherence.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import { allDirectives, type ContractState } from "../../../behavior/contract/contract-state.ts";
import { findCadence, MeasureSessions } from "./cadence/find-cadence.ts";
import { MOST_EVIDENCE } from "./count-seen.ts";
import { findCorrections } from "./cues/find-corrections.ts";
import { type Looked, lookAt, type Watcher } from "./look.ts";
import { pastRuns } from "./past-runs.ts";
import { findDemotions } from "./patterns/demotion.ts";
import { deniedThenMet } from "./patterns/denied-then-met.ts";
import { notFollowed } from "./patterns/not-followed.ts";
import { overridden } from "./patterns/overridden.ts";
import { stopRefused, toolResults } from "./patterns/stop-refused.ts";
import { Said } from "./said.ts";
import {
  type Finding,
  isPersons,
  type ReviewRecord,
  type ReviewThresholds,
  type ReviewWindow,
  type ReviewWorld,
} from "./steps.ts";

/** What a window contains. */
export type WindowFigures = Pick<ReviewRecord, "sessions" | "messages" | "decisions">;

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
export async function countWindow(events: EventJournal, window: ReviewWindow): Promise<WindowFigures> {
  const count = new CountWindow();
  for await (const looked of lookAt(events, window, 0)) count.see(looked);
  return count.figures;
}

/** The findings in a window, its figures and the adherence in it. */
export type WindowSeen = {
  readonly findings: readonly Finding[];
  readonly figures: WindowFigures;
  readonly adherence: readonly AdherenceRow[];
};

type LookWorld = Pick<ReviewWorld, "events" | "governance" | "contracts" | "measure">;

/**
 * Findings of the built-in reviewer, from counts and people's messages. Reads the journal once; the same window gives
 * the same findings.
 */
export async function lookThrough(
  world: LookWorld,
  window: ReviewWindow,
  thresholds: ReviewThresholds,
): Promise<WindowSeen> {
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
  const adherence = await world.measure(window);
  const findings = [
    ...corrections,
    ...counted,
    ...(await findUnfollowed(world, { window, thresholds, counted, adherence })),
    ...findCadence(measured, thresholds),
    ...(await demotionsOf(world, state, corrections, thresholds)),
  ];
  return { findings, figures: count.figures, adherence };
}

/** Texts worded by the review itself and shown in a digest: repeating one is not a person's own wish. */
function ownWords({ candidates }: ContractState): readonly string[] {
  return [...candidates].flatMap(([, { text, origin, demotes }]) =>
    demotes !== undefined || origin === undefined || isPersons(origin.pattern) ? [] : [text],
  );
}

/** Leaves out rules whose denials already give a better finding. */
async function findUnfollowed(
  { events, governance, contracts }: LookWorld,
  {
    window,
    thresholds,
    counted,
    adherence,
  }: {
    readonly window: ReviewWindow;
    readonly thresholds: ReviewThresholds;
    readonly counted: readonly Finding[];
    readonly adherence: readonly AdherenceRow[];
  },
): Promise<readonly Finding[]> {
  const since = window.from - thresholds.lookBackMs;
  const runs = (await pastRuns(governance)).filter((run) => run.window.upTo <= window.after && run.window.to >= since);
  const rows = { now: adherence, before: runs.flatMap(({ adherence }) => adherence) };
  const found = await notFollowed(rows, allDirectives(await contracts.state()), events, thresholds);
  return found.filter(({ subject }) => !counted.some((one) => one.subject === subject));
}

async function demotionsOf(
  { contracts }: LookWorld,
  state: ContractState,
  corrections: readonly Finding[],
  thresholds: ReviewThresholds,
): Promise<readonly Finding[]> {
  const history = state.tallies.size === 0 ? [] : await contracts.events({ limit: Number.MAX_SAFE_INTEGER });
  return findDemotions(state, corrections, history.toReversed(), thresholds);
}
