import type { SchedulesStore } from "../../../base/ports/schedules.ts";
import type { Schedule, ScheduleRun } from "../../../base/words/schedule.ts";
import type { Seal } from "../seal/seal.ts";
import type { StoreKeys } from "../seal/store-keys.ts";
import { nameKey } from "./names.ts";
import { readBody } from "./read-body.ts";
import type { SqlDatabase } from "./tables.ts";

/** Keeps schedules and their runs in a database; what is asked and answered is sealed. */
export function sqlSchedules(db: SqlDatabase, keys: Pick<StoreKeys, "seal">): SchedulesStore {
  return {
    async put(schedule) {
      const { id, user, agent } = schedule;
      const body = (await keys.seal()).close("conduct_schedules.body", [nameKey(id)], JSON.stringify(schedule));
      const row = { user_id: nameKey(user), agent: nameKey(agent), body };
      await db
        .insertInto("conduct_schedules")
        .values({ schedule: nameKey(id), ...row })
        .onConflict((conflict) => conflict.column("schedule").doUpdateSet(row))
        .execute();
    },
    async read(id) {
      const seal = await keys.seal();
      const row = await db
        .selectFrom("conduct_schedules")
        .select(["schedule", "body"])
        .where("schedule", "=", nameKey(id))
        .executeTakeFirst();
      return row === undefined ? undefined : scheduleOf(row, seal);
    },
    async list({ user, agent } = {}) {
      const seal = await keys.seal();
      const rows = await db
        .selectFrom("conduct_schedules")
        .select(["schedule", "body"])
        .$if(user !== undefined, (some) => some.where("user_id", "=", nameKey(user ?? "")))
        .$if(agent !== undefined, (some) => some.where("agent", "=", nameKey(agent ?? "")))
        .execute();
      return rows.map((row) => scheduleOf(row, seal)).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    },
    async remove(id) {
      await db.deleteFrom("conduct_schedules").where("schedule", "=", nameKey(id)).execute();
    },
    async begin(run) {
      const schedule = nameKey(run.schedule);
      const body = sealedRun(await keys.seal(), run);
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("conduct_schedule_runs")
        .values({
          run: nameKey(run.id),
          schedule,
          due: run.due,
          running: run.status === "running" ? schedule : null,
          started_at: run.startedAt,
          body,
        })
        // The same time twice, or one that is still running: both are keys.
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },
    async end(run) {
      const body = sealedRun(await keys.seal(), run);
      const { numUpdatedRows } = await db
        .updateTable("conduct_schedule_runs")
        .set({ running: null, body })
        .where("run", "=", nameKey(run.id))
        .executeTakeFirstOrThrow();
      if (numUpdatedRows !== 1n) throw new Error(`there is no run '${run.id}'`);
    },
    async runs({ schedule, limit }) {
      const seal = await keys.seal();
      const rows = await db
        .selectFrom("conduct_schedule_runs")
        .select(["run", "body"])
        .where("schedule", "=", nameKey(schedule))
        .orderBy("due", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ run, body }) =>
        readBody<ScheduleRun>(seal.open("conduct_schedule_runs.body", [run], body), "A run"),
      );
    },
  };
}

function sealedRun(seal: Seal, run: ScheduleRun): string {
  return seal.close("conduct_schedule_runs.body", [nameKey(run.id)], JSON.stringify(run));
}

function scheduleOf({ schedule, body }: { readonly schedule: string; readonly body: string }, seal: Seal): Schedule {
  return readBody<Schedule>(seal.open("conduct_schedules.body", [schedule], body), "A schedule");
}
