import type { Schedule, ScheduleRun } from "../../words/hosting/schedule.ts";

/** Called with the schedule as it is when it is written. Runs inside the store's transaction, so it must be pure. */
export type ScheduleEdit<R> = (before: Schedule) => { readonly to: Schedule } | { readonly refused: R };

export type ScheduleChanged<R> =
  | { readonly kind: "changed"; readonly schedule: Schedule }
  | { readonly kind: "refused"; readonly refused: R }
  | { readonly kind: "missing" };

/** Keeps schedules and their runs. Rejects when it cannot tell. */
export type SchedulesStore = {
  /** `full`: the user has `most` of them already. Nothing is written unless it is `added`. */
  add(schedule: Schedule, most?: number): Promise<"added" | "exists" | "full">;
  /** Concurrent edits follow each other: each sees what the one before has written. A removed schedule does not come back. */
  change<R>(id: string, edit: ScheduleEdit<R>): Promise<ScheduleChanged<R>>;
  read(id: string): Promise<Schedule | undefined>;
  list(query?: { readonly user?: string; readonly agent?: string }): Promise<readonly Schedule[]>;
  remove(id: string): Promise<void>;
  /** False when a run of this schedule for the same `due`, or one that is still running, is there: nobody else may run it. */
  begin(run: ScheduleRun): Promise<boolean>;
  /** False, and nothing written, when it has ended before: the first end stays. */
  end(run: ScheduleRun): Promise<boolean>;
  /** Every run that has begun and not ended, of schedules that were removed too. */
  unfinished(): Promise<readonly ScheduleRun[]>;
  /** The newest first. `dueBy`: only runs that stand for this time or an earlier one. */
  runs(query: {
    readonly schedule: string;
    readonly limit: number;
    readonly dueBy?: number;
  }): Promise<readonly ScheduleRun[]>;
};
