import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { SessionsStore } from "../../../base/ports/stores/sessions.ts";
import { pastRuns } from "../../learning/review/past-runs.ts";
import { directly, type ReviewRecord, type ReviewSteps, runReview } from "../../learning/review/steps.ts";
import { REVIEW_THRESHOLDS } from "../../learning/review/thresholds.ts";
import { lastDue, nextDue } from "../channels/schedule-times.ts";

/** Looked at at least so often: clocks jump, and machines sleep. */
const LOOK_MS = 30_000;
/** How long one run may hold the others off; it is renewed while it runs. */
const LEASE_MS = 120_000;
const DAY_MS = 86_400_000;
/** Its name among the leases: no session is called so. */
const LEASE = "conduct:daily-review";

export type DailyReviewOptions = {
  readonly steps: ReviewSteps;
  /** Does the steps of the run of that name; here, one after the other, unless told. */
  readonly execute?: (name: string, now: number) => Promise<ReviewRecord | "nothing">;
  readonly events: Pick<EventJournal, "follow">;
  readonly governance: GovernanceJournal;
  readonly leases: Pick<SessionsStore, "lease" | "renew" | "release">;
  /** Who this process is among those on the same store. */
  readonly holder: string;
  readonly clock: Clock;
  /** `HH:MM`, and the zone that it is told in. */
  readonly at: string;
  readonly zone: string;
  readonly report: (line: string) => void;
};

/**
 * Runs the review once a day, in this process. A time that was missed is caught up once, however long nobody was there; of several
 * processes on one store one runs it.
 */
export class DailyReview {
  readonly #options: DailyReviewOptions;
  readonly #times: { readonly cron: string; readonly zone: string };
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<ReviewRecord | "nothing" | "busy"> | undefined;
  #closed = false;
  /** What was told last: a store that is away for an hour is told once. */
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

  /** Runs it when its time has come, and sets the clock for the next look. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    const { clock, report } = this.#options;
    try {
      if (await this.#isDue()) await this.run();
      this.#told = undefined;
    } catch (error) {
      const line = `daily review: ${errorText(error)}; it is tried again`;
      if (line !== this.#told) report(line);
      this.#told = line;
    }
    if (this.#closed) return;
    const wait = Math.max(50, (this.nextAt ?? Number.POSITIVE_INFINITY) - clock.now());
    this.#timer = setTimeout(() => void this.look(), Math.min(LOOK_MS, wait));
    this.#timer.unref();
  }

  /** Runs it now. `busy`: it is under way, here or in another process. */
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
      // What cannot be given back runs out by itself; what the run came to is told.
      await leases.release(LEASE, holder).catch(() => undefined);
    }
  }

  /** A run that has begun is waited for. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running?.catch(() => undefined);
  }

  /** Read anew only when something was written since: it is asked for all day. */
  async #lastRun(): Promise<ReviewRecord | undefined> {
    const { governance } = this.#options;
    const { seq } = await governance.head();
    if (this.#last?.seq !== seq) this.#last = { seq, run: (await pastRuns(governance)).at(-1) };
    return this.#last.run;
  }

  /** The same for everybody who would do the same: what was left by a run that broke off goes on under it. */
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
    // A run in the future was recorded by a clock that was wrong, and blocks nothing.
    if (last !== undefined && last.at >= due && last.at <= now) return false;
    // Events before that time are overdue, and no others: after a quiet night it waits for the next day. Events of a wrong
    // clock, more than a day ahead, are overdue too: else everything after them would wait until that day has come.
    const since = last === undefined ? { since: now - REVIEW_THRESHOLDS.lookBackMs } : {};
    const [first] = await events.follow({ after: last?.window.upTo ?? 0, limit: 1, ...since });
    return first !== undefined && (first.event.at < due || first.event.at > now + DAY_MS);
  }
}
