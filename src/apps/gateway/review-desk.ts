import type { Clock } from "../../base/ports/clock.ts";
import type { Models } from "../../base/ports/models.ts";
import type { ReviewConfig } from "../../engine/agent/config-schema.ts";
import type { ContractService } from "../../engine/governance/contract-service.ts";
import { openReview } from "../learning/open-review.ts";
import { pastRuns } from "../learning/review/past-runs.ts";
import type { ReviewRecord, ReviewSteps } from "../learning/review/steps.ts";
import { timesFault } from "./channels/schedule-times.ts";
import type { Telegram } from "./channels/telegram.ts";
import { DailyReview } from "./daily-review.ts";
import { deliverDigest } from "./review-digest.ts";
import type { GatewayStores } from "./stores.ts";

export type ReviewDeskOptions = {
  readonly config: ReviewConfig;
  readonly stores: Pick<GatewayStores, "events" | "governance" | "sessions">;
  readonly contracts: ContractService;
  /** For the model that adds to it, where one is configured. */
  readonly models?: Models;
  readonly clock: Clock;
  readonly home: string;
  readonly telegram: () => Telegram | undefined;
  readonly report: (line: string) => void;
};

/** The daily review as the gateway has it: on time where it is embedded, and on demand always. */
export type ReviewDesk = {
  readonly steps: ReviewSteps;
  /** When it runs next by itself; absent where it does not. */
  nextAt(): number | undefined;
  run(): Promise<ReviewRecord | "nothing" | "busy">;
  runs(): Promise<readonly ReviewRecord[]>;
  start(): Promise<void>;
  close(): Promise<void>;
};

export function openReviewDesk(options: ReviewDeskOptions): ReviewDesk {
  const { config, stores, contracts, models, clock, home, telegram, report } = options;
  const { at = "08:15", zone: written, model, threshold, runner = "embedded", digest } = config;
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const wrong = written === undefined ? undefined : timesFault({ cron: "0 0 * * *", zone: written }, clock.now());
  if (wrong !== undefined) report(`daily review: ${wrong}; ${local} is taken instead`);
  const zone = written === undefined || wrong !== undefined ? local : written;
  if (model !== undefined && models === undefined) report(`daily review: there is no access to ${model}`);
  const { events, governance, sessions } = stores;
  const steps = openReview({
    ...{ events, governance, contracts, clock },
    ...(threshold === undefined ? {} : { thresholds: { confidence: threshold } }),
    ...(model === undefined || models === undefined ? {} : { reviewer: { model, models } }),
    ...(digest === undefined
      ? {}
      : {
          deliver: (record: ReviewRecord) =>
            deliverDigest({ contracts, clock, config: digest, home, telegram, report }, record),
        }),
  });
  const holder = `gateway-${process.pid}-${clock.now()}`;
  const daily = new DailyReview({ steps, events, governance, leases: sessions, holder, clock, at, zone, report });
  return {
    steps,
    nextAt: () => (runner === "embedded" ? daily.nextAt : undefined),
    run: () => daily.run(),
    runs: () => pastRuns(governance),
    start: async () => {
      // What is overdue may take a while, and nobody waits for it.
      if (runner === "embedded") void daily.look();
    },
    close: () => daily.close(),
  };
}
