import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { Ids } from "../../../base/ports/ids.ts";
import type { SchedulesStore } from "../../../base/ports/stores/schedules.ts";
import type { Schedule, ScheduleRun } from "../../../base/words/hosting/schedule.ts";
import type { Conversations } from "../conversations/conversations.ts";
import { lastDue, nextDue } from "./schedule-times.ts";

/** An agent answers exactly this when it has nothing to report. */
export const NOTHING_TO_REPORT = "HEARTBEAT_OK";

/** The maximum interval between checks, because clocks jump and machines sleep. */
const LOOK_MS = 30_000;

export type ScheduledOptions = {
  readonly store: SchedulesStore;
  readonly conversations: Conversations;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Delivers a result. Rejects on failure. */
  readonly deliver: (schedule: Schedule, text: string) => Promise<void>;
  /** False for viewers. */
  readonly mayTalk: (user: string) => Promise<boolean>;
  /** Enabled schedules that this gateway does not run. */
  readonly isDormant?: (schedule: Schedule) => boolean;
  readonly report: (line: string) => void;
  /** This process and the others on a shared store. */
  readonly replica?: { readonly id: string; isAlive(id: string): boolean };
};

/**
 * Runs schedules. A missed time is caught up once. The store ensures that a schedule never runs twice for one time and
 * never overlaps itself. Runs recorded for the future count only for the time they name.
 */
export class Scheduled {
  readonly #options: ScheduledOptions;
  readonly #running = new Set<Promise<void>>();
  /** Runs started by this process; recovery skips them. */
  readonly #own = new Set<string>();
  /** When a schedule with a creation time in the future was first seen. It counts from then on. */
  readonly #seenEarly = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ScheduledOptions) {
    this.#options = options;
  }

  /** Marks unfinished runs of dead processes as interrupted. */
  async recover(): Promise<void> {
    const { store, clock, replica } = this.#options;
    for (const run of await store.unfinished()) {
      if (this.#own.has(run.id) || (run.replica !== undefined && replica?.isAlive(run.replica) === true)) continue;
      const why = "the gateway stopped during the run";
      await store.end({ ...run, status: "interrupted", endedAt: clock.now(), why });
    }
  }

  /** Runs what is due and sets the next timer. Call it after every change of a schedule. */
  async look(): Promise<void> {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    const { store, clock, report, isDormant = () => false } = this.#options;
    let wait = LOOK_MS;
    try {
      for (const schedule of await store.list()) {
        if (!schedule.enabled || isDormant(schedule)) continue;
        const due = await this.#due(schedule);
        if (this.#closed) return;
        if (due !== undefined) this.#begin(schedule, due);
        const next = nextDue(schedule, clock.now());
        if (next !== undefined) wait = Math.min(wait, Math.max(50, next - clock.now()));
      }
    } catch (error) {
      report(`schedules: ${errorText(error)}`);
    }
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.look(), wait);
    this.#timer.unref();
  }

  /** Waits for running schedules. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#running);
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** The latest due time without a run. Runs recorded for future times are ignored. */
  async #due(schedule: Schedule): Promise<number | undefined> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const due = lastDue(schedule, now);
    const [newest] = await store.runs({ schedule: schedule.id, limit: 1, dueBy: now });
    const since = Math.max(this.#countsSince(schedule, now), newest?.due ?? 0);
    return due !== undefined && due > since ? due : undefined;
  }

  #countsSince({ id, at }: Schedule, now: number): number {
    if (at <= now) {
      this.#seenEarly.delete(id);
      return at;
    }
    const seen = Math.min(this.#seenEarly.get(id) ?? now, now);
    this.#seenEarly.set(id, seen);
    return seen;
  }

  #begin(schedule: Schedule, due: number): void {
    const running = this.#run(schedule, due)
      .catch((error: unknown) => this.#options.report(`schedule '${schedule.id}': ${errorText(error)}`))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(schedule: Schedule, due: number): Promise<void> {
    const { store, clock, ids } = this.#options;
    const begun: ScheduleRun = {
      id: ids.next("sr"),
      schedule: schedule.id,
      due,
      startedAt: clock.now(),
      status: "running",
      replica: this.#options.replica?.id,
    };
    this.#own.add(begun.id);
    try {
      if (await store.begin(begun)) await this.#ask(schedule, begun);
    } finally {
      this.#own.delete(begun.id);
    }
  }

  async #ask(schedule: Schedule, begun: ScheduleRun): Promise<void> {
    const { store, clock, conversations } = this.#options;
    let run = begun;
    try {
      const { agent, user, id } = schedule;
      if (!(await this.#options.mayTalk(user))) throw new Error(`'${user}' has read-only access`);
      const conversation = await conversations.start({ agent, user, channel: "scheduled", address: id });
      run = { ...run, conversation: conversation.id };
      const turn = await conversations.submit(conversation, {
        text: `${schedule.say}\n\n(If there is nothing to report, reply with ${NOTHING_TO_REPORT} and nothing else.)`,
        id: begun.id,
        sender: { id: `schedule:${id}`, user, role: "user" },
      });
      const { status, answer = "", why } = await conversations.ended(turn);
      if (status === "failed" || status === "cancelled" || status === "interrupted")
        run = { ...run, status: "failed", why: why ?? status };
      else if (answer.trim() === NOTHING_TO_REPORT) run = { ...run, status: "silent" };
      else run = { ...run, status: "done", result: answer, ...(await this.#deliver(schedule, answer)) };
    } catch (error) {
      run = { ...run, status: "failed", why: errorText(error) };
    }
    await store.end({ ...run, endedAt: clock.now() });
  }

  /** The result is stored even if delivery fails. */
  async #deliver(schedule: Schedule, text: string): Promise<{ readonly why?: string }> {
    if (schedule.deliver === undefined) return {};
    try {
      await this.#options.deliver(schedule, text);
      return {};
    } catch (error) {
      return { why: `not delivered to ${schedule.deliver.channel}: ${errorText(error)}` };
    }
  }
}
