import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { SessionsStore } from "../../../base/ports/stores/sessions.ts";
import { pastRuns } from "../../learning/review/past-runs.ts";
import {
  directly,
  REVIEW_THRESHOLDS,
  type ReviewRecord,
  type ReviewSteps,
  runReview,
} from "../../learning/review/steps.ts";
import { lastDue, nextDue } from "../channels/schedule-times.ts";

/** The maximum interval between checks, because clocks jump and machines sleep. */
const LOOK_MS = 30_000;
/** Renewed while a run is active. */
const LEASE_MS = 120_000;
const DAY_MS = 86_400_000;
/** The lease's name; no session has it. */
const LEASE = "conduct:daily-review";

export type DailyReviewOptions = {
  readonly steps: ReviewSteps;
  /** Runs the steps elsewhere, for example in DBOS. */
  readonly execute?: (name: string, now: number) => Promise<ReviewRecord | "nothing">;
  readonly events: Pick<EventJournal, "follow">;
  readonly governance: GovernanceJournal;
  readonly leases: Pick<SessionsStore, "lease" | "renew" | "release">;
  /** Identifies this process among those on the same store. */
  readonly holder: string;
  readonly clock: Clock;
  /** `HH:MM` in the given zone. */
  readonly at: string;
  readonly zone: string;
  readonly report: (line: string) => void;
};

/** Runs the review once a day. A missed time is caught up once. Of several processes on one store, one runs it. */
export class DailyReview {
  readonly #options: DailyReviewOptions;
  readonly #times: { readonly cron: string; readonly zone: string };
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<ReviewRecord | "nothing" | "busy"> | undefined;
  #closed = false;
  /** The last reported fault, so that an outage is reported once. */
  #told: string | undefined;
  #last: { readonly seq: number; readonly run: ReviewRecord | undefined } | undefined;

  constructor(options: DailyReviewOptions) {
    this.#options = options;
    const [hour = "8", minute = "15"] = options.at.split(":");
    this.#times = { cron: `${Number(minute)} ${Number(hour)} * * *`, zone: options.zone };
  }

  get nextAt(): number | undefined {
    return nextDue(this.#times, this.#options.clock.now());
  }

  /** Runs the review if it is due and sets the next timer. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    const { clock, report } = this.#options;
    try {
      if (await this.#isDue()) await this.run();
      this.#told = undefined;
    } catch (error) {
      const line = `daily review: ${errorText(error)}; retrying`;
      if (line !== this.#told) report(line);
      this.#told = line;
    }
    if (this.#closed) return;
    const wait = Math.max(50, (this.nextAt ?? Number.POSITIVE_INFINITY) - clock.now());
    this.#timer = setTimeout(() => void this.look(), Math.min(LOOK_MS, wait));
    this.#timer.unref();
  }

  /** `busy`: a run is already active, here or in another process. */
  async run(): Promise<ReviewRecord | "nothing" | "busy"> {
    if (this.#running !== undefined || this.#closed) return "busy";
    const running = this.#run();
    this.#running = running;
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  async #run(): Promise<ReviewRecord | "nothing" | "busy"> {
    const { clock, leases, holder, steps } = this.#options;
    const { execute = (_name, now) => runReview(steps, now, directly) } = this.#options;
    const wish = () => ({ holder, until: clock.now() + LEASE_MS, now: clock.now() });
    if ((await leases.lease(LEASE, wish())).holder !== holder) return "busy";
    const renewing = setInterval(() => leases.renew(wish()).catch(() => undefined), LEASE_MS / 4);
    renewing.unref();
    try {
      return await execute(await this.#name(), clock.now());
    } finally {
      clearInterval(renewing);
      // An unreleased lease expires by itself.
      await leases.release(LEASE, holder).catch(() => undefined);
    }
  }

  /** Waits for an active run. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running?.catch(() => undefined);
  }

  /** Re-reads the journal only after a new entry. */
  async #lastRun(): Promise<ReviewRecord | undefined> {
    const { governance } = this.#options;
    const { seq } = await governance.head();
    if (this.#last?.seq !== seq) this.#last = { seq, run: (await pastRuns(governance)).at(-1) };
    return this.#last.run;
  }

  /** The same name in every process, so that an interrupted run is resumed. */
  async #name(): Promise<string> {
    const last = await this.#lastRun();
    return `conduct-review-after-${last?.window.upTo ?? 0}`;
  }

  async #isDue(): Promise<boolean> {
    const { clock, events } = this.#options;
    const due = lastDue(this.#times, clock.now());
    if (due === undefined) return false;
    const last = await this.#lastRun();
    const now = clock.now();
    // A run recorded in the future came from a wrong clock and is ignored.
    if (last !== undefined && last.at >= due && last.at <= now) return false;
    // Only events before the due time are overdue, so a quiet night waits for the next day. Events more than a day
    // ahead came from a wrong clock and count as overdue.
    const since = last === undefined ? { since: now - REVIEW_THRESHOLDS.lookBackMs } : {};
    const [first] = await events.follow({ after: last?.window.upTo ?? 0, limit: 1, ...since });
    return first !== undefined && (first.event.at < due || first.event.at > now + DAY_MS);
  }
}
