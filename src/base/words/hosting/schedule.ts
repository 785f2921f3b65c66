export type Schedule = {
  readonly id: string;
  readonly agent: string;
  readonly user: string;
  readonly cron: string;
  readonly zone: string;
  readonly say: string;
  /** Channel, and address if needed, for the result. Absent: the result is only stored. */
  readonly deliver?: { readonly channel: string; readonly address?: string };
  readonly enabled: boolean;
  /** Defined in conduct.yaml, so it can only be changed there. */
  readonly fixed?: true;
  readonly at: number;
};

/** One run. `due` is its scheduled time; a missed run is caught up once. */
export type ScheduleRun = {
  readonly id: string;
  readonly schedule: string;
  readonly due: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly conversation?: string;
  /** The gateway that runs it, on a store with several. */
  readonly replica?: string;
  readonly status: "running" | "done" | "silent" | "failed" | "skipped" | "interrupted";
  readonly result?: string;
  readonly why?: string;
};
