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
  /** Every run that has begun and not ended, of schedules that were removed too. */
  unfinished(): Promise<readonly ScheduleRun[]>;
  /** The newest first. `dueBy`: only runs that stand for this time or an earlier one. */
  runs(query: {
    readonly schedule: string;
    readonly limit: number;
    readonly dueBy?: number;
  }): Promise<readonly ScheduleRun[]>;
};
