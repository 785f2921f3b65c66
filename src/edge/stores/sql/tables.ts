import type { ColumnType, Generated, Kysely } from "kysely";

/**
 * The tables, the same in both databases. Names of users, sessions and handles are hashed, so that any text can be a
 * name and fits an index. Times are milliseconds in a double, as in JavaScript.
 */
export type Tables = GatewayTables & {
  readonly conduct_instructions: {
    readonly owner: string;
    readonly version: number;
    /** JSON: `[user, agent]`. */
    readonly owner_name: string;
    /** JSON: the items. */
    readonly items: string;
    readonly at: number;
    readonly session: string;
    readonly change: string;
  };
  readonly conduct_notes: {
    readonly seq: Generated<number>;
    readonly owner: string;
    readonly owner_name: string;
    readonly text_hash: string;
    readonly id: string;
    readonly text: string;
    readonly at: number;
    /** PostgreSQL only. */
    readonly words: ColumnType<never, string | undefined, never>;
  };
  readonly conduct_results: {
    readonly result: string;
    readonly session: string;
    readonly at: number;
    readonly bytes: number;
  };
  readonly conduct_result_parts: {
    readonly result: string;
    readonly part: number;
    readonly data: Uint8Array;
  };
  readonly conduct_governance: {
    readonly seq: number;
    readonly at: number;
    readonly by: string;
    readonly kind: string;
    /** Canonical JSON. */
    readonly body: string;
    readonly prev: string;
    readonly hash: string;
    /** PostgreSQL only. */
    readonly words: ColumnType<never, string | undefined, never>;
  };
  readonly conduct_events: {
    readonly position: Generated<number>;
    /** Ids and names, see `nameKey`. */
    readonly id: string;
    readonly session: string;
    readonly agent: string;
    readonly type: string;
    readonly at: number;
    /** 1 for a denied call. */
    readonly denied: number;
    readonly decision: string | null;
    readonly approval: string | null;
    /** The hash of the contract in a prompt. */
    readonly contract: string | null;
    /** JSON: the event. */
    readonly event: string;
    /** PostgreSQL only. */
    readonly words: ColumnType<never, string | undefined, never>;
  };
  readonly conduct_sessions: {
    readonly session: string;
    readonly agent: string;
    readonly channel: string | null;
    readonly user_name: string | null;
    readonly last_at: number;
    readonly topic: string | null;
    readonly complexity: string | null;
    readonly denials: number;
    readonly incomplete: number;
    /** JSON: the summary. */
    readonly summary: string;
  };
  /** The figures of one session and agent in one hour (since the epoch). */
  readonly conduct_figures: {
    readonly session: string;
    readonly agent: string;
    readonly hour: number;
    readonly agent_name: string;
    readonly calls: number;
    readonly denials: number;
    readonly asked: number;
    readonly stops_refused: number;
    readonly prompts: number;
    readonly prompt_tokens: number;
    readonly stable_tokens: number;
    readonly tokens_saved: number;
  };
  /** The texts of sections by their hash, and when each session last used them. */
  readonly conduct_sections: { readonly section: string; readonly text: string };
  readonly conduct_section_uses: { readonly session: string; readonly section: string; readonly at: number };
  readonly conduct_agents: {
    /** See `nameKey`. */
    readonly agent: string;
    readonly version: number;
    readonly at: number;
    /** JSON: name, definition, author and reason. */
    readonly body: string;
  };
  readonly conduct_kept_sessions: {
    /** See `nameKey`. */
    readonly session: string;
    readonly version: number;
    readonly at: number;
    readonly snapshot: string;
    /** The number of changes since the snapshot. */
    readonly changes: number;
    /** JSON. */
    readonly beside: string;
    readonly holder: string | null;
    readonly held_until: number;
  };
  readonly conduct_kept_changes: { readonly session: string; readonly version: number; readonly change: string };
  /** One row. See `SealState`. */
  readonly conduct_seal: {
    readonly one: number;
    readonly store: string;
    readonly key_check: string | null;
    readonly state: string;
  };
  /** Session states that could not be decoded. `changes` is JSON of the rows. */
  readonly conduct_damaged_sessions: {
    readonly session: string;
    readonly at: number;
    readonly why: string;
    readonly version: number;
    readonly snapshot: string;
    readonly beside: string;
    readonly changes: string;
  };
  readonly conduct_migration: { readonly name: string };
};

export type SqlDatabase = Kysely<Tables>;
export type SqlKind = "sqlite" | "postgres";

/** The gateway's tables. For ids and names see `nameKey`; bodies are JSON. */
type GatewayTables = {
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
