import { countWindow, type WindowFigures } from "./count-window.ts";
import { findAll } from "./find.ts";
import { askModel } from "./model/ask-model.ts";
import { keepRun } from "./past-runs.ts";
import { proposeFindings } from "./propose.ts";
import { recordOf } from "./record.ts";
import type { ReviewSteps } from "./steps.ts";
import { REVIEW_THRESHOLDS } from "./thresholds.ts";
import { findWindow } from "./window.ts";
import type { ReviewWorld } from "./world.ts";

/** The daily review over a world. It proposes, and never changes what is in force. */
export function reviewSteps(world: ReviewWorld): ReviewSteps {
  const thresholds = { ...REVIEW_THRESHOLDS, ...world.thresholds };
  const { events, governance, contracts, clock, reviewer } = world;
  /** Spares the process that has looked at a window a second look. */
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
      return keepRun(governance, recordOf(window, reviewed, { adherence, model, at: clock.now() }, figures));
    },
    digest: (record) => world.deliver(record),
  };
}
