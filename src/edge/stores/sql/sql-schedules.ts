import type { SchedulesStore } from "../../../base/ports/schedules.ts";
import type { Schedule, ScheduleRun } from "../../../base/words/schedule.ts";
import { nameKey } from "./names.ts";
import { readBody } from "./read-body.ts";
import type { SqlDatabase } from "./tables.ts";

/** Keeps schedules and their runs in a database. */
export function sqlSchedules(db: SqlDatabase): SchedulesStore {
  return {
    async put(schedule) {
      const { id, user, agent } = schedule;
      const row = { user_id: nameKey(user), agent: nameKey(agent), body: JSON.stringify(schedule) };
      await db
        .insertInto("conduct_schedules")
        .values({ schedule: nameKey(id), ...row })
        .onConflict((conflict) => conflict.column("schedule").doUpdateSet(row))
        .execute();
    },
    async read(id) {
      const row = await db
        .selectFrom("conduct_schedules")
        .select("body")
        .where("schedule", "=", nameKey(id))
        .executeTakeFirst();
      return row === undefined ? undefined : scheduleOf(row);
    },
    async list({ user, agent } = {}) {
      const rows = await db
        .selectFrom("conduct_schedules")
        .select("body")
        .$if(user !== undefined, (some) => some.where("user_id", "=", nameKey(user ?? "")))
        .$if(agent !== undefined, (some) => some.where("agent", "=", nameKey(agent ?? "")))
        .execute();
      return rows.map(scheduleOf).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    },
    async remove(id) {
      await db.deleteFrom("conduct_schedules").where("schedule", "=", nameKey(id)).execute();
    },
    async begin(run) {
      const schedule = nameKey(run.schedule);
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("conduct_schedule_runs")
        .values({
          run: nameKey(run.id),
          schedule,
          due: run.due,
          running: run.status === "running" ? schedule : null,
          started_at: run.startedAt,
          body: JSON.stringify(run),
        })
        // The same time twice, or one that is still running: both are keys.
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },
    async end(run) {
      const { numUpdatedRows } = await db
        .updateTable("conduct_schedule_runs")
        .set({ running: null, body: JSON.stringify(run) })
        .where("run", "=", nameKey(run.id))
        .executeTakeFirstOrThrow();
      if (numUpdatedRows !== 1n) throw new Error(`there is no run '${run.id}'`);
    },
    async unfinished() {
      const rows = await db
        .selectFrom("conduct_schedule_runs")
        .select("body")
        .where("running", "is not", null)
        .orderBy("due")
        .execute();
      return rows.map((row) => readBody<ScheduleRun>(row.body, "A run"));
    },
    async runs({ schedule, limit, dueBy }) {
      const rows = await db
        .selectFrom("conduct_schedule_runs")
        .select("body")
        .where("schedule", "=", nameKey(schedule))
        .$if(dueBy !== undefined, (some) => some.where("due", "<=", dueBy ?? 0))
        .orderBy("due", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => readBody<ScheduleRun>(row.body, "A run"));
    },
  };
}

function scheduleOf({ body }: { readonly body: string }): Schedule {
  return readBody<Schedule>(body, "A schedule");
}
