import type { ColumnType, Generated, Kysely } from "kysely";

/** The columns of a table, by type. */
type Row<Text extends string, Numeric extends string = never, Nullable extends string = never> = {
  readonly [column in Text]: string;
} & { readonly [column in Numeric]: number } & { readonly [column in Nullable]: string | null };

/** The column of the word index; PostgreSQL only. */
type Words = { readonly words: ColumnType<never, string | undefined, never> };

/**
 * The tables, the same in both databases. Names of users, sessions and handles are hashed (`nameKey`), so that any
 * text can be a name and fits an index. Times are milliseconds in a double, as in JavaScript. Bodies are JSON.
 */
export type Tables = {
  /** `owner_name` is JSON, `[user, agent]`; so is `items`. */
  readonly conduct_instructions: Row<"owner" | "owner_name" | "items" | "session" | "change", "version" | "at">;
  readonly conduct_notes: Row<"owner" | "owner_name" | "text_hash" | "id" | "text", "at"> &
    Words & { readonly seq: Generated<number> };
  /** `body` is canonical JSON. */
  readonly conduct_governance: Row<"by" | "kind" | "body" | "prev" | "hash", "seq" | "at"> & Words;
  /** `denied` is 1 for a denied call, `contract` the hash of the contract in a prompt, `event` JSON. */
  readonly conduct_events: Row<
    "id" | "session" | "agent" | "type" | "event",
    "at" | "denied",
    "decision" | "approval" | "contract"
  > &
    Words & { readonly position: Generated<number> };
  /** `contracts` is JSON: the number of prompts and the time of the last one, by the hash of their contract. */
  readonly conduct_sessions: Row<
    "session" | "agent" | "summary",
    "first_at" | "last_at" | "denials" | "incomplete",
    "channel" | "user_name" | "topic" | "complexity" | "contracts"
  >;
  /** How far each follower of the events has come. */
  readonly conduct_projections: Row<"name", "position">;
  readonly conduct_contract_uses: Row<"contract", "prompts" | "sessions" | "last_at">;
  /** `item` is a key made of the directive or rule and its check; `body` an `AdherenceRow`. */
  readonly conduct_adherence: Row<"day" | "item" | "body">;
  /** The last turn of each session and how it was counted; `body` is JSON. */
  readonly conduct_adherence_turns: Row<"session" | "body">;
  /** The figures of one session and agent in one hour (since the epoch). */
  readonly conduct_figures: Row<
    "session" | "agent" | "agent_name",
    | ("hour" | "calls" | "denials" | "asked" | "stops_refused")
    | ("prompts" | "prompt_tokens" | "stable_tokens" | "tokens_saved")
  >;
  /** The sums of `conduct_figures` over all sessions of an agent. */
  readonly conduct_hours: Row<
    "agent" | "agent_name",
    | ("hour" | "calls" | "denials" | "asked" | "stops_refused")
    | ("prompts" | "prompt_tokens" | "stable_tokens" | "tokens_saved")
  >;
  /** The texts of sections by their hash, and when each session last used them. */
  readonly conduct_sections: Row<"section" | "text">;
  readonly conduct_section_uses: Row<"session" | "section", "at">;
  /** The body contains name, definition, author and reason. */
  readonly conduct_agents: Row<"agent" | "body", "version" | "at">;
  /** `changes` counts the changes since the snapshot; `beside` is JSON. */
  readonly conduct_kept_sessions: Row<
    "session" | "snapshot" | "beside",
    "version" | "at" | "changes" | "held_until",
    "holder"
  >;
  readonly conduct_kept_changes: Row<"session" | "change", "version">;
  /** One row. See `SealState`. */
  readonly conduct_seal: Row<"store" | "state", "one", "key_check">;
  /** Session states that could not be decoded. `changes` is JSON of the rows. */
  readonly conduct_damaged_sessions: Row<"session" | "why" | "snapshot" | "beside" | "changes", "at" | "version">;
  readonly conduct_migration: Row<"name">;
  /** `owner` is the hash of user and agent, `day` a date such as 2026-03-06. */
  readonly conduct_day_usage: Row<"owner" | "day", "input_tokens" | "output_tokens" | "calls" | "cost">;
  readonly conduct_users: Row<"user_id" | "body", never, "telegram" | "slack">;
  readonly conduct_keys: Row<"hash" | "user_id" | "body", "at">;
  readonly conduct_conversations: Row<"conversation" | "user_id" | "agent" | "channel" | "body", "last_at", "address">;
  readonly conduct_transcripts: Row<"conversation" | "entry", "seq">;
  /** `open` is 1 while the turn is queued or running. */
  readonly conduct_turns: Row<"turn" | "conversation" | "body", "open" | "at", "message">;
  /** `answer` is null while the question is open; `body` a `PendingApproval`. */
  readonly conduct_questions: Row<"approval" | "session" | "body", "at" | "expires_at", "answer" | "answered_by"> & {
    readonly answered_at: number | null;
  };
  /** See `Delivery`. */
  readonly conduct_deliveries: Row<
    "delivery" | "webhook" | "type" | "body" | "state",
    "at" | "attempts" | "next_at",
    "result"
  >;
  /** `turn` is null until the message has become a turn. */
  readonly conduct_answers: Row<"message" | "process", "at", "turn"> & { readonly answered_at: number | null };
  /** See `QuestionPost`. */
  readonly conduct_posts: Row<"approval" | "channel" | "address" | "message" | "operator", "at">;
  readonly conduct_whole_results: Row<"session" | "handle" | "body", "bytes" | "at">;
  readonly conduct_schedules: Row<"schedule" | "user_id" | "agent" | "body">;
  /** `running` is the schedule while it runs, else null: unique, so that no two run at once. */
  readonly conduct_schedule_runs: Row<"run" | "schedule" | "body", "due" | "started_at", "running">;
  readonly conduct_replies: Row<"reply" | "request", "at", "body"> & { readonly status: number | null };
};

export type SqlDatabase = Kysely<Tables>;
export type SqlKind = "sqlite" | "postgres";
