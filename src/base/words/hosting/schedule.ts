/** Something an agent is asked at set times. */
export type Schedule = {
  readonly id: string;
  readonly agent: string;
  readonly user: string;
  readonly cron: string;
  readonly zone: string;
  readonly say: string;
  /** Where the result goes: a channel and, where it needs one, an address there. Absent: it is only kept. */
  readonly deliver?: { readonly channel: string; readonly address?: string };
  readonly enabled: boolean;
  /** Comes from conduct.yaml: changed there. */
  readonly fixed?: true;
  readonly at: number;
};

/** One run. `due` is the time it stands for; a run that was missed is caught up once. */
export type ScheduleRun = {
  readonly id: string;
  readonly schedule: string;
  readonly due: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly conversation?: string;
  readonly status: "running" | "done" | "silent" | "failed" | "skipped" | "interrupted";
  readonly result?: string;
  readonly why?: string;
};
