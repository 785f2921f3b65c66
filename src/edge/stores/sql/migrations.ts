import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { isObjectedCall } from "./events/events.ts";
import { fillContracts, fillWords } from "./search/rebuild-search.ts";
import { EVENT_WORDS_GONE, fts5, makeWords } from "./search/word-index.ts";
import type { SqlKind, Tables } from "./tables.ts";

/** By name, in order. Forward only: never change a released migration, add a new one. */
export function migrationsFor(kind: SqlKind): Readonly<Record<string, Migration>> {
  const step = (...statements: readonly string[]): Migration => ({ up: (db) => run(db, statements) });
  return {
    "0001-stores": {
      async up(db) {
        await run(db, [INSTRUCTIONS, ...notes(kind)]);
        if (kind === "sqlite") await fts5("conduct_note_words").execute(db);
        await run(db, GOVERNANCE);
      },
    },
    "0002-events": step(...events(kind), ...SESSIONS),
    "0003-search": { up: (db) => addSearch(db.withTables<Tables>(), kind) },
    "0004-agents": step(AGENTS),
    "0005-kept-sessions": step(...KEPT_SESSIONS),
    "0006-contract-told": { up: (db) => addContractTold(db.withTables<Tables>(), kind) },
    "0007-gateway": step(...GATEWAY),
    "0008-figures": step(...FIGURES),
    "0009-objected-calls": {
      async up(db) {
        const objected = isObjectedCall(kind);
        await sql`create index conduct_events_objected on conduct_events (position) where ${objected}`.execute(db);
      },
    },
    "0010-kept-changes": step(...KEPT_CHANGES),
    "0011-governance-damaged": step(GOVERNANCE_DAMAGED),
    "0012-damaged-sessions": step(...DAMAGED_SESSIONS),
    "0013-seal": { up: (db) => addSeal(db.withTables<Tables>(), kind) },
    "0014-projections": { up: (db) => addProjections(db.withTables<Tables>(), kind) },
    "0015-day-usage": step(DAY_USAGE),
    "0016-replicas": step(...QUESTIONS, ...replicas(kind)),
    "0017-partial-indexes": step(...PARTIAL_INDEXES),
    "0018-results": step(RESULTS),
    "0019-session-filters": step(...sessionFilters(kind)),
    "0020-answers": step(ANSWERS),
    "0021-deliveries": step(...DELIVERIES),
    "0022-owed-answers": step(OWED_ANSWERS),
    "0027-workspaces": step(WORKSPACES),
    "0029-slack": step(...SLACK),
  };
}

async function run(db: Kysely<unknown> | Kysely<Tables>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** A number that is never reused, even if the newest row is deleted, because followers remember it. */
const counted = (kind: SqlKind) =>
  kind === "sqlite" ? "integer primary key autoincrement" : "bigint primary key generated always as identity";

const INSTRUCTIONS = `create table conduct_instructions (owner text not null, version integer not null,
  owner_name text not null, items text not null, at double precision not null, session text not null,
  change text not null, constraint conduct_instructions_key primary key (owner, version))`;

const notes = (kind: SqlKind) => [
  `create table conduct_notes (seq ${counted(kind)}, ${kind === "sqlite" ? "" : "words tsvector not null,"}
    owner text not null, owner_name text not null, text_hash text not null, id text not null, text text not null,
    at double precision not null, constraint conduct_notes_once unique (owner, text_hash))`,
  "create index conduct_notes_newest on conduct_notes (owner, at, seq)",
  ...(kind === "sqlite" ? [] : ["create index conduct_note_words on conduct_notes using gin (words)"]),
];

const GOVERNANCE_COLUMNS = `at double precision not null, "by" text not null, kind text not null, body text not null`;

/** The table of the governance journal, without its index of words. */
export const GOVERNANCE: readonly string[] = [
  `create table conduct_governance (seq integer primary key, ${GOVERNANCE_COLUMNS}, prev text not null unique,
    hash text not null)`,
  "create index conduct_governance_kind on conduct_governance (kind, seq)",
];

/** Entries that an operator's repair has set aside, as they were found. Nothing is ever removed from this table. */
const GOVERNANCE_DAMAGED = `create table conduct_governance_damaged (repair text not null, seq integer not null,
  ${GOVERNANCE_COLUMNS}, prev text not null, hash text not null,
  constraint conduct_governance_damaged_key primary key (repair, seq))`;

const events = (kind: SqlKind) => [
  `create table conduct_events (position ${counted(kind)}, id text not null unique, session text not null,
    agent text not null, type text not null, at double precision not null, denied integer not null, decision text,
    approval text, event text not null)`,
  "create index conduct_events_session on conduct_events (session, position)",
  "create index conduct_events_at on conduct_events (at)",
  "create index conduct_events_denied on conduct_events (position) where denied = 1",
  "create index conduct_events_decision on conduct_events (decision) where decision is not null",
  "create index conduct_events_approval on conduct_events (approval) where approval is not null",
];

const SESSIONS = [
  `create table conduct_sessions (session text primary key, agent text not null, channel text, user_name text,
    last_at double precision not null, summary text not null)`,
  "create index conduct_sessions_newest on conduct_sessions (last_at, session)",
];

/** Creates the word indexes of governance and events, and fills them. */
async function addSearch(db: Kysely<Tables>, kind: SqlKind): Promise<void> {
  if (kind === "postgres") {
    // Nullable: an older Conduct that still runs goes on writing rows without it.
    await sql`alter table conduct_governance add column words tsvector`.execute(db);
    await sql`alter table conduct_events add column words tsvector`.execute(db);
  }
  await makeWords(db, kind, "governance");
  await makeWords(db, kind, "events");
  if (kind === "sqlite") await EVENT_WORDS_GONE.execute(db);
  await fillWords(db, kind, "governance");
  await fillWords(db, kind, "events");
}

const AGENTS = `create table conduct_agents (agent text not null, version integer not null,
  at double precision not null, body text not null, constraint conduct_agents_key primary key (agent, version))`;

const KEPT_SESSIONS = [
  `create table conduct_kept_sessions (session text primary key, version integer not null,
    at double precision not null, snapshot text not null, beside text not null, holder text,
    held_until double precision not null)`,
  "create index conduct_kept_sessions_at on conduct_kept_sessions (at)",
  "create index conduct_kept_sessions_holder on conduct_kept_sessions (holder)",
];

/** Prompts are found by the hash of their contract. */
async function addContractTold(db: Kysely<Tables>, kind: SqlKind): Promise<void> {
  // Compared by bytes, whatever the language of the database: hashes are found by their first digits.
  const column = kind === "sqlite" ? sql`contract text` : sql`contract text collate "C"`;
  await sql`alter table conduct_events add column ${column}`.execute(db);
  await sql`create index conduct_events_contract on conduct_events (contract) where contract is not null`.execute(db);
  await fillContracts(db);
}

/** Users, conversations, schedules and replies. */
const GATEWAY = [
  "create table conduct_users (user_id text primary key, telegram text, body text not null)",
  "create unique index conduct_users_telegram on conduct_users (telegram)",
  `create table conduct_keys (hash text primary key, user_id text not null, at double precision not null,
    body text not null)`,
  "create index conduct_keys_user on conduct_keys (user_id, at)",
  `create table conduct_conversations (conversation text primary key, user_id text not null, agent text not null,
    channel text not null, address text, last_at double precision not null, body text not null)`,
  "create index conduct_conversations_newest on conduct_conversations (last_at)",
  "create index conduct_conversations_user on conduct_conversations (user_id, last_at)",
  "create index conduct_conversations_address on conduct_conversations (channel, address, last_at)",
  `create table conduct_transcripts (conversation text not null, seq integer not null, entry text not null,
    constraint conduct_transcripts_key primary key (conversation, seq))`,
  `create table conduct_turns (turn text primary key, conversation text not null, message text,
    open integer not null, at double precision not null, body text not null)`,
  "create index conduct_turns_newest on conduct_turns (conversation, at)",
  "create index conduct_turns_open on conduct_turns (open, at)",
  "create unique index conduct_turns_once on conduct_turns (conversation, message)",
  `create table conduct_schedules (schedule text primary key, user_id text not null, agent text not null,
    body text not null)`,
  `create table conduct_schedule_runs (run text primary key, schedule text not null, due double precision not null,
    running text, started_at double precision not null, body text not null)`,
  "create unique index conduct_schedule_runs_once on conduct_schedule_runs (schedule, due)",
  "create unique index conduct_schedule_runs_alone on conduct_schedule_runs (running)",
  `create table conduct_replies (reply text primary key, request text not null, at double precision not null,
    status integer, body text)`,
  "create index conduct_replies_at on conduct_replies (at)",
];

/** Figures by session and hour, the columns that sessions are chosen by, and the texts of prompts. */
const FIGURES = [
  `create table conduct_figures (session text not null, agent text not null, hour integer not null,
    agent_name text not null, calls bigint not null, denials bigint not null, asked bigint not null,
    stops_refused bigint not null, prompts bigint not null, prompt_tokens bigint not null,
    stable_tokens bigint not null, tokens_saved bigint not null,
    constraint conduct_figures_key primary key (session, agent, hour))`,
  "create index conduct_figures_hour on conduct_figures (hour, agent)",
  "create table conduct_sections (section text primary key, text text not null)",
  `create table conduct_section_uses (session text not null, section text not null, at double precision not null,
    constraint conduct_section_uses_key primary key (session, section))`,
  "create index conduct_section_uses_of on conduct_section_uses (section)",
  "create index conduct_section_uses_at on conduct_section_uses (at)",
  // All of these may be absent: an older Conduct that still runs goes on writing rows without them.
  "alter table conduct_sessions add column topic text",
  "alter table conduct_sessions add column complexity text",
  "alter table conduct_sessions add column denials integer not null default 0",
  "alter table conduct_sessions add column incomplete integer not null default 0",
];

/** The changes of a kept session since its snapshot, one row for each save. */
const KEPT_CHANGES = [
  "alter table conduct_kept_sessions add column changes integer default 0 not null",
  `create table conduct_kept_changes (
    session text not null references conduct_kept_sessions (session) on delete cascade, version integer not null,
    change text not null, constraint conduct_kept_changes_key primary key (session, version))`,
];

/** States of sessions that could not be decoded, as they were found. They go with their session, and after 30 days. */
const DAMAGED_SESSIONS = [
  `create table conduct_damaged_sessions (session text not null, at double precision not null, why text not null,
    version integer not null, snapshot text not null, beside text not null, changes text not null)`,
  "create index conduct_damaged_sessions_of on conduct_damaged_sessions (session)",
];

const DAY_USAGE = `create table conduct_day_usage (owner text not null, day text not null,
  input_tokens double precision not null, output_tokens double precision not null, calls double precision not null,
  cost double precision not null, constraint conduct_day_usage_key primary key (owner, day))`;

/** Rows that nobody looks up by these columns are not in their indexes, so writing them writes fewer pages. */
const PARTIAL_INDEXES = [
  "drop index conduct_turns_open",
  "create index conduct_turns_open on conduct_turns (at) where open = 1",
  "drop index conduct_turns_once",
  "create unique index conduct_turns_once on conduct_turns (conversation, message) where message is not null",
  "drop index conduct_conversations_address",
  `create index conduct_conversations_address on conduct_conversations (channel, address, last_at)
    where address is not null`,
];

const TURN_ORDER = [
  "alter table conduct_turns add column position bigint generated by default as identity",
  `alter table conduct_turns add column entered_at double precision
    default (extract(epoch from clock_timestamp()) * 1000)`,
  "create index conduct_turns_waiting on conduct_turns (conversation, position) where open = 1",
];

/** `answer` is null while the question is open. */
const QUESTIONS = [
  `create table conduct_questions (approval text primary key, session text not null, body text not null,
    at double precision not null, expires_at double precision not null, answer text, answered_by text,
    answered_at double precision)`,
  "create index conduct_questions_session on conduct_questions (session)",
];

/** Answers to questions are few among the events. */
const ANSWERS =
  "create index if not exists conduct_events_answers on conduct_events (position) where type = 'approval'";

/** An index for each filter of the session list, so that a page and its total read no summaries. */
const sessionFilters = (kind: SqlKind) => [
  "alter table conduct_sessions add column first_at double precision not null default 0",
  `update conduct_sessions set first_at = coalesce(${
    kind === "sqlite"
      ? "json_extract(summary, '$.startedAt')"
      : "cast(substring(summary from '\"startedAt\":([0-9.]+)') as double precision)"
  }, 0)${kind === "sqlite" ? " where json_valid(summary)" : ""}`,
  "drop index if exists conduct_sessions_newest",
  "create index conduct_sessions_newest on conduct_sessions (last_at, session, first_at)",
  "create index conduct_sessions_user on conduct_sessions (user_name, last_at, session)",
  "create index conduct_sessions_channel on conduct_sessions (channel, last_at, session)",
  "create index conduct_sessions_denied on conduct_sessions (last_at, session) where denials > 0",
  "create index conduct_events_denied_of on conduct_events (session, at) where denied = 1",
];

/** The outbox of the webhooks. */
const DELIVERIES = [
  `create table conduct_deliveries (delivery text primary key, webhook text not null, type text not null,
    body text not null, at double precision not null, state text not null, attempts integer not null,
    next_at double precision not null, result text)`,
  "create index conduct_deliveries_waiting on conduct_deliveries (next_at) where state = 'waiting'",
  "create index conduct_deliveries_newest on conduct_deliveries (at)",
];

/** Whole results of truncated calls. Used on PostgreSQL, where a folder would be of one gateway only. */
const RESULTS = `create table conduct_whole_results (session text not null, handle text not null, body text not null,
  bytes bigint not null, at double precision not null, constraint conduct_whole_results_key primary key (session, handle))`;

/** Which folder on which machine has the files of an agent and user. Used on PostgreSQL only. */
const WORKSPACES = "create table conduct_workspaces (workspace text primary key, files text not null)";

/** Which process answers which message of a channel. */
const OWED_ANSWERS = `create table conduct_answers (message text primary key, process text not null, turn text,
  at double precision not null, answered_at double precision)`;

/** Slack's ids of users, and the questions that are shown in chats. */
const SLACK = [
  "alter table conduct_users add column slack text",
  "create unique index conduct_users_slack on conduct_users (slack)",
  `create table conduct_posts (approval text not null, channel text not null, address text not null,
    message text not null, operator text not null, at double precision not null,
    constraint conduct_posts_key primary key (channel, address, message))`,
];

/**
 * Gateways that share a store, used on PostgreSQL only. `beat_at` and `entered_at` are times of the database's clock.
 * `position` orders the turns of a conversation, because the clocks of replicas differ.
 */
const replicas = (kind: SqlKind) => [
  `create table conduct_replicas (replica text primary key, body text not null, draining integer not null,
    running integer not null, beat_at double precision not null)`,
  "create table conduct_leases (conversation text primary key, replica text, fence bigint not null)",
  "create index conduct_leases_replica on conduct_leases (replica) where replica is not null",
  `create table conduct_mail (position ${counted(kind)}, mail text not null, replica text not null,
    body text not null, at double precision not null)`,
  "create index conduct_mail_replica on conduct_mail (replica, position)",
  ...(kind === "sqlite" ? [] : TURN_ORDER),
];

/**
 * How far a store is sealed. `plain`: rows of an older Conduct may be in clear. `sealed`: every row is sealed, but
 * freed pages of the file may still contain old text. `clean`: those were rewritten too.
 */
export type SealState = "plain" | "sealed" | "clean";

/** One row: the store's id, which names its key, and a value that tells the right key from a wrong one. */
async function addSeal(db: Kysely<Tables>, kind: SqlKind): Promise<void> {
  await run(db, [
    "create table conduct_seal (one integer primary key, store text not null, key_check text, state text not null)",
  ]);
  const state: SealState = (await wasUsed(db, kind)) ? "plain" : "clean";
  await db.insertInto("conduct_seal").values({ one: 1, store: crypto.randomUUID(), key_check: null, state }).execute();
}

const CONTENT = ["events", "kept_sessions", "conversations", "instructions", "notes", "schedules"] as const;

/** Whether an older Conduct has written content to this store, or deleted some from it. */
async function wasUsed(db: Kysely<Tables>, kind: SqlKind): Promise<boolean> {
  for (const name of CONTENT) {
    const { rows } = await sql`select 1 from ${sql.table(`conduct_${name}`)} limit 1`.execute(db);
    if (rows.length > 0) return true;
  }
  if (kind === "postgres") return false;
  const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(db);
  return rows[0]?.freelist_count !== 0;
}

/**
 * The positions of the followers, the prompts sent per contract, and the turns counted for adherence. A store without
 * figures is older than those: its follower begins at the first event. Otherwise sessions, figures and words were
 * written with their events, and the follower begins after the newest.
 */
async function addProjections(db: Kysely<Tables>, kind: SqlKind): Promise<void> {
  const name = kind === "sqlite" ? "text" : 'text collate "C"';
  await run(db, [
    "create table conduct_projections (name text primary key, position bigint not null)",
    `create table conduct_contract_uses (contract ${name} primary key, prompts bigint not null,
      sessions bigint not null, last_at double precision not null)`,
    "alter table conduct_sessions add column contracts text",
    "create index conduct_sessions_agent on conduct_sessions (agent, last_at)",
    `create table conduct_hours (agent text not null, hour integer not null, agent_name text not null,
      ${COUNTS.map((name) => `${name} bigint not null`).join(", ")},
      constraint conduct_hours_key primary key (agent, hour))`,
    "create index conduct_hours_hour on conduct_hours (hour)",
    `create table conduct_adherence (day text not null, item text not null, body text not null,
      constraint conduct_adherence_key primary key (day, item))`,
    "create table conduct_adherence_turns (session text primary key, body text not null)",
  ]);
  const { rows } = await sql`select 1 from conduct_figures limit 1`.execute(db);
  await run(db, rows.length === 0 ? ["delete from conduct_sessions"] : contractsSent(kind));
}

const COUNTS = [
  ...["calls", "denials", "asked", "stops_refused"],
  ...["prompts", "prompt_tokens", "stable_tokens", "tokens_saved"],
];

function contractsSent(kind: SqlKind): readonly string[] {
  const [object, list] =
    kind === "sqlite" ? ["json_group_object", "json_array"] : ["json_object_agg", "json_build_array"];
  return [
    `insert into conduct_projections (name, position)
      select 'events', coalesce(max(position), 0) from conduct_events`,
    `update conduct_sessions set contracts = sent.contracts from (
      select session, cast(${object}(contract, ${list}(prompts, last_at)) as text) as contracts from (
        select session, contract, count(*) as prompts, max(at) as last_at from conduct_events
        where contract is not null group by session, contract) as each
      group by session) as sent where sent.session = conduct_sessions.session`,
    `insert into conduct_hours (agent, hour, agent_name, ${COUNTS.join(", ")})
      select agent, hour, max(agent_name), ${COUNTS.map((name) => `sum(${name})`).join(", ")} from conduct_figures
      group by agent, hour`,
    `insert into conduct_contract_uses (contract, prompts, sessions, last_at)
      select contract, count(*), count(distinct session), max(at) from conduct_events
      where contract is not null group by contract`,
  ];
}
