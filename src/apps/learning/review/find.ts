import { allDirectives, type ContractState } from "../../../behavior/contract/contract-state.ts";
import { findCadence } from "./cadence/find-cadence.ts";
import { MeasureSessions } from "./cadence/measure-sessions.ts";
import { MOST_EVIDENCE } from "./count-seen.ts";
import { CountWindow, type WindowFigures } from "./count-window.ts";
import { findCorrections } from "./cues/find-corrections.ts";
import { type Finding, isPersons } from "./finding.ts";
import { lookAt, type Watcher } from "./look.ts";
import { pastRuns } from "./past-runs.ts";
import { findDemotions } from "./patterns/demotion.ts";
import { deniedThenMet } from "./patterns/denied-then-met.ts";
import { notFollowed } from "./patterns/not-followed.ts";
import { overridden } from "./patterns/overridden.ts";
import { stopRefused } from "./patterns/stop-refused.ts";
import { toolResults } from "./patterns/tool-results.ts";
import { Said } from "./said.ts";
import type { ReviewWindow } from "./steps.ts";
import type { ReviewThresholds } from "./thresholds.ts";
import type { ReviewWorld } from "./world.ts";

export type Found = { readonly findings: readonly Finding[]; readonly figures: WindowFigures };

/** What the built-in reviewer finds, by counting and by the words of people. The journal is read once; the same window gives the same. */
export async function findAll(world: ReviewWorld, window: ReviewWindow, thresholds: ReviewThresholds): Promise<Found> {
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

/** What only the review itself has put into words, and a digest told: who repeats it has said nothing of their own. */
function ownWords({ candidates }: ContractState): readonly string[] {
  return [...candidates].flatMap(([, { text, origin, demotes }]) =>
    demotes !== undefined || origin === undefined || isPersons(origin.pattern) ? [] : [text],
  );
}

/** Rules are told by what was seen of their denials, where that says more. */
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
