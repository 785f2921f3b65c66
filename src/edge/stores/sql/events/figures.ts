import { type RawBuilder, sql } from "kysely";
import type { Figures, FiguresAt, FiguresQuery } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { addFigures, HOUR_MS, hourOf, hoursOf } from "../../../../engine/journal/session-figures.ts";
import type { SqlDatabase } from "../tables.ts";
import { chunks, nameKey } from "../values.ts";

const DAY_HOURS = 24;

/** The column of each figure in `conduct_figures`. */
const COLUMNS = {
  calls: "calls",
  denials: "denials",
  asked: "asked",
  stopsRefused: "stops_refused",
  prompts: "prompts",
  promptTokens: "prompt_tokens",
  stableTokens: "stable_tokens",
  tokensSaved: "tokens_saved",
} as const satisfies { readonly [K in keyof Figures]: string };
const NAMES = Object.values(COLUMNS);

const names = sql.join(NAMES.map((name) => sql.ref(name)));

/** Adds new events to the figures of their sessions, agents and hours, in the same transaction. */
export async function addToHours(trx: SqlDatabase, events: readonly ConductEvent[]): Promise<void> {
  const hours = hoursOf(events);
  const agents = new Map<string, AgentHour>();
  for (const { agent, hour, figures } of hours) {
    const key = JSON.stringify([agent, hour]);
    const known = agents.get(key)?.figures;
    agents.set(key, { agent, hour, figures: known === undefined ? figures : addFigures(known, figures) });
  }
  await addUp(trx, "conduct_figures", hours);
  await addUp(trx, "conduct_hours", [...agents.values()]);
}

type AgentHour = { readonly agent: string; readonly hour: number; readonly figures: Figures };

async function addUp(
  trx: SqlDatabase,
  table: "conduct_figures" | "conduct_hours",
  hours: readonly (AgentHour & { readonly session?: string })[],
): Promise<void> {
  const key = sql.raw(table === "conduct_figures" ? "session, agent, hour" : "agent, hour");
  const rows = hours.map(({ session, agent, hour, figures }) => {
    const counted = Object.keys(COLUMNS).map((name) => figures[name as keyof Figures]);
    return sql`(${sql.join([...(session === undefined ? [] : [nameKey(session)]), nameKey(agent), hour, agent, ...counted])})`;
  });
  const sums = sql.join(
    NAMES.map((name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`),
  );
  for (const some of chunks(rows)) {
    await sql`insert into ${sql.table(table)} (${key}, agent_name, ${names}) values ${sql.join(some)}
      on conflict (${key}) do update set ${sums}`.execute(trx);
  }
}

/** Deletes the figures of a session, given its key. */
export async function dropHours(trx: SqlDatabase, session: string): Promise<void> {
  const gone = await trx
    .deleteFrom("conduct_figures")
    .where("session", "=", session)
    .returning(["agent", "hour", ...NAMES])
    .execute();
  for (const { agent, hour, ...counted } of gone) {
    const less = sql.join(NAMES.map((name) => sql`${sql.ref(name)} = ${sql.ref(name)} - ${counted[name]}`));
    const which = sql`agent = ${agent} and hour = ${hour}`;
    await sql`update conduct_hours set ${less} where ${which}`.execute(trx);
    const none = sql.join(
      NAMES.map((name) => sql`${sql.ref(name)} = 0`),
      sql` and `,
    );
    await sql`delete from conduct_hours where ${which} and ${none}`.execute(trx);
  }
}

type Row = { readonly bucket: number; readonly agent_name: string } & {
  readonly [name in (typeof NAMES)[number]]: number | string;
};

/** Sums whole hours, which are far fewer rows than events. */
export async function readFigures(
  db: SqlDatabase,
  { by, since, until, agent }: FiguresQuery,
): Promise<readonly FiguresAt[]> {
  const hours = by === "day" ? DAY_HOURS : 1;
  const first = (at: number) => Math.floor(hourOf(at) / hours) * hours;
  const bucket: RawBuilder<number> = by === "day" ? sql`hour / ${sql.lit(DAY_HOURS)}` : sql`hour`;
  const sums = sql.join(NAMES.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));
  const ofAgent = agent === undefined ? sql`` : sql`and agent = ${nameKey(agent)}`;
  const { rows } = await sql<Row>`select ${bucket} as bucket, max(agent_name) as agent_name, ${sums}
    from conduct_hours where hour >= ${first(since)} and hour < ${first(until) + hours} ${ofAgent}
    group by ${bucket}, agent order by bucket, agent`.execute(db);
  return rows.map((row) => {
    const counted = Object.entries(COLUMNS).map(([name, column]) => [name, Number(row[column])] as const);
    const at = row.bucket * hours * HOUR_MS;
    return { at, agent: row.agent_name, ...(Object.fromEntries(counted) as Figures) };
  });
}
