import type { Schedule, ScheduleRun } from "../../words/hosting/schedule.ts";

/** Receives the schedule as of the write. Runs inside the store's transaction, so it must be pure. */
export type ScheduleEdit<R> = (before: Schedule) => { readonly to: Schedule } | { readonly refused: R };

export type ScheduleChanged<R> =
  | { readonly kind: "changed"; readonly schedule: Schedule }
  | { readonly kind: "refused"; readonly refused: R }
  | { readonly kind: "missing" };

/** Stores schedules and their runs. Rejects if the store fails. */
export type SchedulesStore = {
  /** `full`: the user already has `most` schedules. Writes only if the result is `added`. */
  add(schedule: Schedule, most?: number): Promise<"added" | "exists" | "full">;
  /** Edits are serialised: each sees the result of the previous one. A removed schedule is never restored. */
  change<R>(id: string, edit: ScheduleEdit<R>): Promise<ScheduleChanged<R>>;
  read(id: string): Promise<Schedule | undefined>;
  list(query?: { readonly user?: string; readonly agent?: string }): Promise<readonly Schedule[]>;
  remove(id: string): Promise<void>;
  /**
   * Returns false if a run for the same `due` exists or another run is in progress; the caller must not run it then.
   */
  begin(run: ScheduleRun): Promise<boolean>;
  /** Returns false and writes nothing if the run has already ended. */
  end(run: ScheduleRun): Promise<boolean>;
  /** Every run in progress, including those of removed schedules. */
  unfinished(): Promise<readonly ScheduleRun[]>;
  /** Newest first. `dueBy`: only runs due at or before this time. */
  runs(query: {
    readonly schedule: string;
    readonly limit: number;
    readonly dueBy?: number;
  }): Promise<readonly ScheduleRun[]>;
};
