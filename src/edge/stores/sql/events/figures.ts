import { type RawBuilder, sql } from "kysely";
import type { Figures, FiguresAt, FiguresQuery } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { HOUR_MS, hourOf, hoursOf } from "../../../../engine/journal/session-figures.ts";
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

/** Adds new events to the figures of their sessions and hours, in the same transaction. */
export async function addToHours(trx: SqlDatabase, events: readonly ConductEvent[]): Promise<void> {
  const hours = hoursOf(events).map(({ session, agent, hour, figures }) => {
    const counted = Object.entries(COLUMNS).map(([name]) => figures[name as keyof Figures]);
    return sql`(${sql.join([nameKey(session), nameKey(agent), hour, agent, ...counted])})`;
  });
  const names = sql.join(NAMES.map((name) => sql.ref(name)));
  const sums = sql.join(
    NAMES.map((name) => sql`${sql.ref(name)} = conduct_figures.${sql.ref(name)} + excluded.${sql.ref(name)}`),
  );
  for (const some of chunks(hours)) {
    await sql`insert into conduct_figures (session, agent, hour, agent_name, ${names})
      values ${sql.join(some)}
      on conflict (session, agent, hour) do update set ${sums}`.execute(trx);
  }
}

/** Deletes the figures of a session, given its key. */
export async function dropHours(trx: SqlDatabase, session: string): Promise<void> {
  await trx.deleteFrom("conduct_figures").where("session", "=", session).execute();
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
    from conduct_figures where hour >= ${first(since)} and hour < ${first(until) + hours} ${ofAgent}
    group by ${bucket}, agent order by bucket, agent`.execute(db);
  return rows.map((row) => {
    const counted = Object.entries(COLUMNS).map(([name, column]) => [name, Number(row[column])] as const);
    const at = row.bucket * hours * HOUR_MS;
    return { at, agent: row.agent_name, ...(Object.fromEntries(counted) as Figures) };
  });
}
