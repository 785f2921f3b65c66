/** The gateway's tables. Ids and names as `nameKey` has them; bodies are JSON. */
export type GatewayTables = {
  readonly conduct_users: { readonly user_id: string; readonly telegram: string | null; readonly body: string };
  readonly conduct_keys: {
    readonly hash: string;
    readonly user_id: string;
    readonly at: number;
    readonly body: string;
  };
  readonly conduct_conversations: {
    readonly conversation: string;
    readonly user_id: string;
    readonly agent: string;
    readonly channel: string;
    readonly address: string | null;
    readonly last_at: number;
    readonly body: string;
  };
  readonly conduct_transcripts: { readonly conversation: string; readonly seq: number; readonly entry: string };
  readonly conduct_turns: {
    readonly turn: string;
    readonly conversation: string;
    readonly message: string | null;
    /** 1 while it is queued or running. */
    readonly open: number;
    readonly at: number;
    readonly body: string;
  };
  readonly conduct_schedules: {
    readonly schedule: string;
    readonly user_id: string;
    readonly agent: string;
    readonly body: string;
  };
  readonly conduct_schedule_runs: {
    readonly run: string;
    readonly schedule: string;
    readonly due: number;
    /** The schedule while it runs, else null: unique, so that no two run at once. */
    readonly running: string | null;
    readonly started_at: number;
    readonly body: string;
  };
  readonly conduct_replies: {
    readonly reply: string;
    readonly request: string;
    readonly at: number;
    readonly status: number | null;
    readonly body: string | null;
  };
};
