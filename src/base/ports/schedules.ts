import type { Schedule, ScheduleRun } from "../words/schedule.ts";

/** Keeps schedules and their runs. Rejects when it cannot tell. */
export type SchedulesStore = {
  put(schedule: Schedule): Promise<void>;
  read(id: string): Promise<Schedule | undefined>;
  list(query?: { readonly user?: string; readonly agent?: string }): Promise<readonly Schedule[]>;
  remove(id: string): Promise<void>;
  /** False when a run of this schedule for the same `due`, or one that is still running, is there: nobody else may run it. */
  begin(run: ScheduleRun): Promise<boolean>;
  end(run: ScheduleRun): Promise<void>;
  /** The newest first. */
  runs(query: { readonly schedule: string; readonly limit: number }): Promise<readonly ScheduleRun[]>;
};
