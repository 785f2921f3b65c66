import type { SchedulesStore } from "../../../base/ports/schedules.ts";
import type { Schedule, ScheduleRun } from "../../../base/words/schedule.ts";
import { exclusively } from "./exclusively.ts";
import { nameKey } from "./names.ts";
import { readBody } from "./read-body.ts";
import type { SqlDatabase, SqlKind } from "./tables.ts";

/** Keeps schedules and their runs in a database. */
export function sqlSchedules(db: SqlDatabase, kind: SqlKind): SchedulesStore {
  async function readSchedule(from: SqlDatabase, id: string): Promise<Schedule | undefined> {
    const row = await from
      .selectFrom("conduct_schedules")
      .select("body")
      .where("schedule", "=", nameKey(id))
      .executeTakeFirst();
    return row === undefined ? undefined : scheduleOf(row);
  }

  return {
    add: (schedule, most = Number.POSITIVE_INFINITY) =>
      exclusively(db, kind, "conduct_schedules", async (trx) => {
        const { id, user } = schedule;
        if ((await readSchedule(trx, id)) !== undefined) return "exists";
        const { owned } = await trx
          .selectFrom("conduct_schedules")
          .select((select) => select.fn.countAll<number>().as("owned"))
          .where("user_id", "=", nameKey(user))
          .executeTakeFirstOrThrow();
        if (owned >= most) return "full";
        await trx
          .insertInto("conduct_schedules")
          .values({ schedule: nameKey(id), ...rowOf(schedule) })
          .execute();
        return "added";
      }),
    change: (id, edit) =>
      exclusively(db, kind, "conduct_schedules", async (trx) => {
        const before = await readSchedule(trx, id);
        if (before === undefined) return { kind: "missing" };
        const edited = edit(before);
        if ("refused" in edited) return { kind: "refused", ...edited };
        await trx.updateTable("conduct_schedules").set(rowOf(edited.to)).where("schedule", "=", nameKey(id)).execute();
        return { kind: "changed", schedule: edited.to };
      }),
    read: (id) => readSchedule(db, id),
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
        .where("running", "is not", null)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 1n) return true;
      const ended = await db
        .selectFrom("conduct_schedule_runs")
        .select("run")
        .where("run", "=", nameKey(run.id))
        .executeTakeFirst();
      if (ended === undefined) throw new Error(`there is no run '${run.id}'`);
      return false;
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

function rowOf(schedule: Schedule) {
  const { user, agent } = schedule;
  return { user_id: nameKey(user), agent: nameKey(agent), body: JSON.stringify(schedule) };
}
