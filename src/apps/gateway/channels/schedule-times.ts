import { Cron } from "croner";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { SchedulesStore } from "../../../base/ports/stores/schedules.ts";
import type { Schedule } from "../../../base/words/hosting/schedule.ts";
import type { ScheduleConfig } from "../../../engine/agent/config/config-schema.ts";

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
    return `'${zone}' is not a time zone; write it as Europe/London`;
  }
  try {
    return nextDue({ cron, zone }, now) === undefined ? `'${cron}' never runs in the future` : undefined;
  } catch (error) {
    const why = errorText(error).replace(/^CronPattern:\s*/, "");
    return `'${cron}' is not a cron expression (${why}); use five fields: minute hour day month weekday, such as 0 8 * * 1-5`;
  }
}

function openCron(cron: string, zone: string): Cron {
  return new Cron(cron, { timezone: zone, paused: true, mode: "5-part" });
}

type ScheduleWorld = {
  readonly now: number;
  readonly isAgent: (name: string) => boolean;
  readonly zoneOf: (user: string) => Promise<string | undefined>;
};

/** Returns the error as one sentence, or undefined. */
export function scheduleFault(
  schedule: Pick<Schedule, "agent" | "cron" | "zone">,
  world: Pick<ScheduleWorld, "now" | "isAgent">,
): string | undefined {
  if (!world.isAgent(schedule.agent)) return `there is no agent '${schedule.agent}'`;
  return timesFault(schedule, world.now);
}

/** Schedules from a conduct.yaml that no longer exists are kept but do not run. */
export function isDormantWithout(configured: readonly ScheduleConfig[] | undefined): (schedule: Schedule) => boolean {
  return ({ fixed }) => configured === undefined && fixed === true;
}

/**
 * Updates the stored schedules to match conduct.yaml. Without a conduct.yaml nothing changes, because only a file can
 * remove its schedules. Returns notes for the operator.
 */
export async function keepConfigured(
  store: SchedulesStore,
  configured: readonly ScheduleConfig[] | undefined,
  world: ScheduleWorld,
): Promise<readonly string[]> {
  if (configured === undefined) return dormantOnes(store);
  const problems: string[] = [];
  const wanted = new Set<string>();
  for (const one of configured) {
    const schedule = await scheduleOf(one, world);
    const fault = scheduleFault(schedule, world);
    if (fault !== undefined) {
      problems.push(`schedule '${schedule.id}' in conduct.yaml is ignored: ${fault}`);
      continue;
    }
    wanted.add(schedule.id);
    if ((await store.add(schedule)) === "added") continue;
    // Keeping `at` makes a time missed during downtime still count as missed.
    await store.change(schedule.id, ({ at, enabled }) => ({ to: { ...schedule, at, enabled } }));
  }
  for (const { id, fixed } of await store.list()) if (fixed === true && !wanted.has(id)) await store.remove(id);
  return problems;
}

async function dormantOnes(store: SchedulesStore): Promise<readonly string[]> {
  const dormant = (await store.list()).filter(isDormantWithout(undefined)).map(({ id }) => `'${id}'`);
  if (dormant.length === 0) return [];
  const which = `${dormant.slice(0, 5).join(", ")}${dormant.length > 5 ? ", …" : ""}`;
  return [
    `these schedules do not run, because CONDUCT_HOME has no conduct.yaml any more: ${which}. Restore the file, or start once with a conduct.yaml without them to delete them`,
  ];
}

async function scheduleOf(
  { id, agent, user, cron, zone, say, deliver }: ScheduleConfig,
  { now, zoneOf }: ScheduleWorld,
): Promise<Schedule> {
  return {
    id: id ?? `${agent}-${user}-${sha256(`${cron}\n${say}`).slice(0, 8)}`,
    agent,
    user,
    cron,
    zone: zone ?? (await zoneOf(user)) ?? "UTC",
    say,
    deliver,
    enabled: true,
    fixed: true,
    at: now,
  };
}
