import type { Clock } from "../../../base/ports/clock.ts";
import type { Models } from "../../../base/ports/models.ts";
import type { ReviewConfig } from "../../../engine/agent/config/config-schema.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import { openReview } from "../../learning/open-review.ts";
import { pastRuns } from "../../learning/review/past-runs.ts";
import type { ReviewRecord, ReviewSteps } from "../../learning/review/steps.ts";
import type { DbosReview } from "../../learning/runners/dbos-review.ts";
import { timesFault } from "../channels/schedule-times.ts";
import type { Telegram } from "../channels/telegram.ts";
import type { GatewayStores } from "../stores.ts";
import { DailyReview } from "./daily-review.ts";
import { deliverDigest } from "./review-digest.ts";

export type ReviewDeskOptions = {
  readonly config: ReviewConfig;
  readonly stores: Pick<GatewayStores, "events" | "governance" | "sessions">;
  readonly contracts: ContractService;
  /** For the model reviewer, if one is configured. */
  readonly models?: Models;
  /** The shared PostgreSQL for `runner: dbos`. */
  readonly shared?: { readonly url: string; readonly version: string };
  readonly clock: Clock;
  readonly home: string;
  readonly telegram: () => Telegram | undefined;
  readonly report: (line: string) => void;
};

/** The daily review in the gateway: on time if embedded, and always on demand. */
export type ReviewDesk = {
  readonly steps: ReviewSteps;
  /** The next automatic run, if any. */
  nextAt(): number | undefined;
  run(): Promise<ReviewRecord | "nothing" | "busy">;
  runs(): Promise<readonly ReviewRecord[]>;
  start(): Promise<void>;
  close(): Promise<void>;
};

export function openReviewDesk(options: ReviewDeskOptions): ReviewDesk {
  const { config, stores, contracts, models, shared, clock, home, telegram, report } = options;
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
  const wanted = runner === "dbos" && shared !== undefined ? shared : undefined;
  if (runner === "dbos" && shared === undefined)
    report("daily review: runner dbos needs a store on PostgreSQL; it runs in this process instead");
  let dbos: Promise<DbosReview> | undefined;
  const open = async (place: NonNullable<typeof shared>) =>
    (await import("../../learning/runners/dbos-review.ts")).openDbosReview({ ...place, steps, report });
  const daily = new DailyReview({
    ...{ steps, events, governance, leases: sessions, holder, clock, at, zone, report },
    ...(wanted === undefined
      ? {}
      : {
          async execute(name: string, now: number) {
            dbos ??= open(wanted);
            const review = await dbos.catch((error: unknown) => {
              dbos = undefined;
              throw error;
            });
            return review.run(name, now);
          },
        }),
  });
  return {
    steps,
    nextAt: () => (runner === "off" ? undefined : daily.nextAt),
    run: () => daily.run(),
    runs: () => pastRuns(governance),
    start: async () => {
      // Not awaited, because an overdue run may take a while.
      if (runner !== "off") void daily.look();
    },
    async close() {
      await daily.close();
      await (await dbos?.catch(() => undefined))?.close();
    },
  };
}
