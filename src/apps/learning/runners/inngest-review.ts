import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { nodeClock } from "../../../edge/host/node/node-clock.ts";
import { openConductFromEnv } from "../../../edge/host/opening/open-conduct.ts";
import { conductHome } from "../../../edge/host/workspace/conduct-home.ts";
import { storePlace } from "../../../edge/host/workspace/store-place.ts";
import { homeStores } from "../../../edge/stores/home-stores.ts";
import { buildDigest, renderDigest } from "../digest/digest.ts";
import { openReview } from "../open-review.ts";
import { type ReviewRecord, type ReviewSteps, runReview } from "../review/steps.ts";
import { reviewSettings } from "../review-settings.ts";

/** The required part of Inngest's function arguments; users install Inngest themselves. */
type Given = {
  readonly step: { run(name: string, step: () => Promise<unknown>): Promise<unknown> };
  readonly event: { readonly ts?: number };
};

/** The arguments of `createFunction`: Inngest requires mutable lists. */
export type InngestFunction = [
  options: { id: string; concurrency: { limit: number }; triggers: [{ cron: string }, { event: string }] },
  handler: (given: Given) => Promise<ReviewRecord | "nothing">,
];

/** Where the review runs and when. */
export type InngestReviewOptions = {
  /** Default: `CONDUCT_HOME`. Its conduct.yaml has the settings under `review`. */
  readonly home?: string;
  /** Default: `review.at` in `review.zone`. */
  readonly cron?: string;
};

/** Send this event to run a review now. */
export const REVIEW_EVENT = "conduct/review.requested";

/**
 * The daily review as an Inngest function: `client.createFunction(...(await inngestReview()))`. Runs daily and on
 * request. Inngest saves each step's result, retries failed steps and runs one review at a time. Set
 * `review: { runner: inngest }`, so that the gateway does not run it too. Rejects if conduct.yaml has faults.
 */
export async function inngestReview({ home, cron }: InngestReviewOptions = {}): Promise<InngestFunction> {
  const env = home === undefined ? process.env : { ...process.env, CONDUCT_HOME: home };
  const { at = "08:15", zone } = (await reviewSettings(env)).written ?? {};
  const [hour, minute] = at.split(":").map(Number);
  const local = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const daily = cron ?? `TZ=${local} ${minute} ${hour} * * *`;
  return [
    { id: "conduct-daily-review", concurrency: { limit: 1 }, triggers: [{ cron: daily }, { event: REVIEW_EVENT }] },
    ({ step, event }: Given) =>
      // Inngest returns JSON, and so do the steps.
      runReview(
        stepsOfHome(env),
        event.ts ?? Date.now(),
        <T>(name: string, work: () => Promise<T>) => step.run(name, work) as Promise<T>,
      ),
  ];
}

/** Each step opens the home's store and closes it again, because Inngest may run the steps in different processes. */
function stepsOfHome(env: NodeJS.ProcessEnv): ReviewSteps {
  const home = conductHome(env);
  async function within<T>(work: (steps: ReviewSteps) => Promise<T>): Promise<T> {
    const { thresholds, reviewer, written } = await reviewSettings(env);
    const stores = homeStores(storePlace(env, home), env);
    const conduct = openConductFromEnv({ agents: [], home, journal: false }, env);
    try {
      const { contracts } = conduct;
      if (contracts === undefined) throw new Error("the review needs a governance store");
      const { events, governance } = stores;
      const file = written?.digest?.file;
      const clock = nodeClock();
      const deliver = async (record: ReviewRecord) => {
        if (file === undefined) return;
        const path = resolve(home, file);
        await mkdir(dirname(path), { recursive: true });
        const digest = buildDigest(await contracts.state(), clock.now(), record);
        await writeFile(path, renderDigest(digest, clock.now()), { mode: 0o600 });
      };
      return await work(openReview({ events, governance, contracts, clock, thresholds, reviewer, deliver }));
    } finally {
      await conduct.close();
      await stores.close();
    }
  }
  return {
    window: (now) => within((steps) => steps.window(now)),
    find: (window) => within((steps) => steps.find(window)),
    ask: (window) => within((steps) => steps.ask(window)),
    propose: (window, findings) => within((steps) => steps.propose(window, findings)),
    adherence: (window) => within((steps) => steps.adherence(window)),
    finish: (...given) => within((steps) => steps.finish(...given)),
    digest: (record) => within((steps) => steps.digest(record)),
  };
}
