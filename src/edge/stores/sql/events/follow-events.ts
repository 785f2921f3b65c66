import { sql } from "kysely";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { eventWords } from "../../search-words.ts";
import { withWords, wordIndex } from "../search/word-index.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { lightly } from "../transactions.ts";
import { readJson } from "../values.ts";
import { addToSessions } from "./session-summaries.ts";

/** Events in one step. Other writers wait for a step. */
const STEP = 250;
/** Events wait at most so long for the follower of the process that wrote them. */
const DELAY_MS = 500;
/** A process that ends before its follower runs must not leave more events behind than this. */
const MOST_BEHIND = 2_000;

/**
 * Keeps the projections of the events: session summaries, figures, prompts per contract and words. They are not part of
 * the write that a turn waits for. Every reader of a projection calls `catchUp` first and so sees all earlier events.
 */
export type EventFollower = {
  catchUp(): Promise<void>;
  /** Call it after an append with the newest position. Rejects never. */
  appended(position: number): Promise<void>;
  /** The last followed position, locked until the transaction ends. */
  lock(trx: SqlDatabase): Promise<number>;
  /** Deletes the projections, so that the next `catchUp` makes them anew. Words stay; they are replaced one by one. */
  forget(trx: SqlDatabase): Promise<void>;
  stop(): Promise<void>;
};

export function followEvents(db: SqlDatabase, kind: SqlKind): EventFollower {
  const index = wordIndex(kind, "events");
  let done = 0;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function lock(trx: SqlDatabase): Promise<number> {
    const locked = kind === "postgres" ? sql`for update` : sql``;
    const read = () =>
      sql<{ position: number }>`select position from conduct_projections where name = 'events' ${locked}`.execute(trx);
    const [known] = (await read()).rows;
    if (known !== undefined) return known.position;
    await sql`insert into conduct_projections (name, position) values ('events', 0)
      on conflict (name) do nothing`.execute(trx);
    return (await read()).rows[0]?.position ?? 0;
  }

  /** Returns false when there is nothing more to follow. */
  function step(): Promise<boolean> {
    return withWords((words) =>
      lightly(db, async (trx) => {
        const after = await lock(trx);
        const rows = await trx
          .selectFrom("conduct_events")
          .select(["position", "event"])
          .where("position", ">", after)
          .orderBy("position")
          .limit(STEP)
          .execute();
        const last = rows.at(-1)?.position ?? after;
        done = last;
        if (rows.length === 0) return false;
        const read = rows.map(({ position, event }) => ({ position, event: readJson<ConductEvent>(event) }));
        const whole = read.flatMap(({ event }) => event ?? []);
        if (words === "indexed" && kind === "sqlite")
          await index.add(
            trx,
            read.flatMap(({ position: row, event }) =>
              event === undefined ? [] : [{ row, words: eventWords(event) }],
            ),
          );
        await addToSessions(trx, whole, last);
        await trx.updateTable("conduct_projections").set({ position: last }).where("name", "=", "events").execute();
        return rows.length === STEP;
      }),
    );
  }

  async function isBehind(): Promise<boolean> {
    const { rows } = await sql<{ done: number | null; head: number | null }>`select
      (select position from conduct_projections where name = 'events') as done,
      (select max(position) from conduct_events) as head`.execute(db);
    return (rows[0]?.head ?? 0) > (rows[0]?.done ?? 0);
  }

  async function follow(): Promise<void> {
    if (!(await isBehind())) return;
    while (!stopped && (await step()));
  }

  /** One run at a time; a run that is under way may have passed the newest event already. */
  async function catchUp(): Promise<void> {
    await running?.catch(() => undefined);
    running ??= follow().finally(() => {
      running = undefined;
    });
    await running;
  }

  return {
    catchUp,
    lock,
    async appended(position) {
      // A failure is not lost: the next reader runs into it, too.
      if (position - done > MOST_BEHIND) await catchUp().catch(() => undefined);
      if (stopped || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        void catchUp().catch(() => undefined);
      }, DELAY_MS).unref();
    },
    async forget(trx) {
      await lock(trx);
      for (const table of ["sessions", "figures", "hours", "contract_uses"] as const)
        await trx.deleteFrom(`conduct_${table}`).execute();
      await trx.updateTable("conduct_projections").set({ position: 0 }).where("name", "=", "events").execute();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running?.catch(() => undefined);
    },
  };
}
