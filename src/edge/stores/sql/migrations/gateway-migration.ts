import type { Kysely } from "kysely";

/** Users, conversations, schedules and replies. */
export async function addGateway({ schema }: Kysely<unknown>): Promise<void> {
  const table = (name: string, key: string) =>
    schema.createTable(name).addColumn(key, "text", (column) => column.primaryKey());
  await table("conduct_users", "user_id").addColumn("telegram", "text").addColumn("body", "text", notNull).execute();
  await schema.createIndex("conduct_users_telegram").on("conduct_users").column("telegram").unique().execute();
  await table("conduct_keys", "hash")
    .addColumn("user_id", "text", notNull)
    .addColumn("at", "double precision", notNull)
    .addColumn("body", "text", notNull)
    .execute();
  await schema.createIndex("conduct_keys_user").on("conduct_keys").columns(["user_id", "at"]).execute();
  await table("conduct_conversations", "conversation")
    .addColumn("user_id", "text", notNull)
    .addColumn("agent", "text", notNull)
    .addColumn("channel", "text", notNull)
    .addColumn("address", "text")
    .addColumn("last_at", "double precision", notNull)
    .addColumn("body", "text", notNull)
    .execute();
  const conversations = (name: string, columns: readonly string[]) =>
    schema
      .createIndex(name)
      .on("conduct_conversations")
      .columns([...columns])
      .execute();
  await conversations("conduct_conversations_newest", ["last_at"]);
  await conversations("conduct_conversations_user", ["user_id", "last_at"]);
  await conversations("conduct_conversations_address", ["channel", "address", "last_at"]);
  await schema
    .createTable("conduct_transcripts")
    .addColumn("conversation", "text", notNull)
    .addColumn("seq", "integer", notNull)
    .addColumn("entry", "text", notNull)
    .addPrimaryKeyConstraint("conduct_transcripts_key", ["conversation", "seq"])
    .execute();
  await table("conduct_turns", "turn")
    .addColumn("conversation", "text", notNull)
    .addColumn("message", "text")
    .addColumn("open", "integer", notNull)
    .addColumn("at", "double precision", notNull)
    .addColumn("body", "text", notNull)
    .execute();
  await schema.createIndex("conduct_turns_newest").on("conduct_turns").columns(["conversation", "at"]).execute();
  await schema.createIndex("conduct_turns_open").on("conduct_turns").columns(["open", "at"]).execute();
  await schema
    .createIndex("conduct_turns_once")
    .on("conduct_turns")
    .columns(["conversation", "message"])
    .unique()
    .execute();
  await table("conduct_schedules", "schedule")
    .addColumn("user_id", "text", notNull)
    .addColumn("agent", "text", notNull)
    .addColumn("body", "text", notNull)
    .execute();
  await table("conduct_schedule_runs", "run")
    .addColumn("schedule", "text", notNull)
    .addColumn("due", "double precision", notNull)
    .addColumn("running", "text")
    .addColumn("started_at", "double precision", notNull)
    .addColumn("body", "text", notNull)
    .execute();
  await schema
    .createIndex("conduct_schedule_runs_once")
    .on("conduct_schedule_runs")
    .columns(["schedule", "due"])
    .unique()
    .execute();
  await schema
    .createIndex("conduct_schedule_runs_alone")
    .on("conduct_schedule_runs")
    .column("running")
    .unique()
    .execute();
  await table("conduct_replies", "reply")
    .addColumn("request", "text", notNull)
    .addColumn("at", "double precision", notNull)
    .addColumn("status", "integer")
    .addColumn("body", "text")
    .execute();
  await schema.createIndex("conduct_replies_at").on("conduct_replies").column("at").execute();
}

type Column = { notNull(): Column };

function notNull<C extends Column>(column: C): C {
  return column.notNull() as C;
}
