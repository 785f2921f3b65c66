import { Cron } from "croner";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { Schedule } from "../../../base/words/hosting/schedule.ts";

type Times = Pick<Schedule, "cron" | "zone">;

/** The latest due time at or before `now`. In an hour repeated by a clock change it runs once. */
export function lastDue({ cron, zone }: Times, now: number): number | undefined {
  // croner only returns times before its reference, with a resolution of one second.
  return openCron(cron, zone)
    .previousRuns(1, new Date(now + 1_000))[0]
    ?.getTime();
}

export function nextDue({ cron, zone }: Times, now: number): number | undefined {
  return openCron(cron, zone).nextRun(new Date(now))?.getTime();
}

/** Returns the error as one sentence, or undefined. */
export function timesFault({ cron, zone }: Times, now: number): string | undefined {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    return `'${zone}' is no time zone; one looks like Europe/London`;
  }
  try {
    return nextDue({ cron, zone }, now) === undefined ? `'${cron}' names no time to come` : undefined;
  } catch (error) {
    const why = errorText(error).replace(/^CronPattern:\s*/, "");
    return `'${cron}' is no cron expression (${why}); five fields: minute hour day month weekday, such as 0 8 * * 1-5`;
  }
}

function openCron(cron: string, zone: string): Cron {
  return new Cron(cron, { timezone: zone, paused: true, mode: "5-part" });
}
