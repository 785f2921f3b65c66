import type { SchedulesStore } from "../../../../base/ports/stores/schedules.ts";
import type { Schedule, ScheduleRun } from "../../../../base/words/hosting/schedule.ts";
import type { Seal } from "../../seal/seal.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { exclusively } from "../transactions.ts";
import { didWrite, firstOf, nameKey, readBody } from "../values.ts";

/** Stores schedules and their runs in a database. Prompts and answers are sealed. */
export function sqlSchedules(db: SqlDatabase, kind: SqlKind, keys: Pick<StoreKeys, "seal">): SchedulesStore {
  const schedules = (from: SqlDatabase) => from.selectFrom("conduct_schedules").select(["schedule", "body"]);
  const runs = () => db.selectFrom("conduct_schedule_runs").select(["run", "body"]);
  const readSchedule = (from: SqlDatabase, seal: Seal, id: string) =>
    firstOf(schedules(from).where("schedule", "=", nameKey(id)), (row) => scheduleOf(row, seal));

  return {
    async add(schedule, most = Number.POSITIVE_INFINITY) {
      const seal = await keys.seal();
      return exclusively(db, kind, "conduct_schedules", async (trx) => {
        const { id, user } = schedule;
        if ((await readSchedule(trx, seal, id)) !== undefined) return "exists";
        const { owned } = await trx
          .selectFrom("conduct_schedules")
          .select((select) => select.fn.countAll<number>().as("owned"))
          .where("user_id", "=", nameKey(user))
          .executeTakeFirstOrThrow();
        if (owned >= most) return "full";
        await trx
          .insertInto("conduct_schedules")
          .values({ schedule: nameKey(id), ...rowOf(schedule, seal) })
          .execute();
        return "added";
      });
    },
    async change(id, edit) {
      const seal = await keys.seal();
      return exclusively(db, kind, "conduct_schedules", async (trx) => {
        const before = await readSchedule(trx, seal, id);
        if (before === undefined) return { kind: "missing" };
        const edited = edit(before);
        if ("refused" in edited) return { kind: "refused", ...edited };
        const row = rowOf({ ...edited.to, id }, seal);
        await trx.updateTable("conduct_schedules").set(row).where("schedule", "=", nameKey(id)).execute();
        return { kind: "changed", schedule: edited.to };
      });
    },
    read: async (id) => readSchedule(db, await keys.seal(), id),
    async list({ user, agent } = {}) {
      const seal = await keys.seal();
      const rows = await schedules(db)
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
      const running = run.status === "running" ? schedule : null;
      const body = sealedRun(await keys.seal(), run);
      const row = { run: nameKey(run.id), schedule, due: run.due, running, started_at: run.startedAt, body };
      // Unique keys prevent a second run for the same time and two runs at once.
      return didWrite(
        db
          .insertInto("conduct_schedule_runs")
          .values(row)
          .onConflict((conflict) => conflict.doNothing()),
      );
    },
    async end(run) {
      const body = sealedRun(await keys.seal(), run);
      const own = db
        .updateTable("conduct_schedule_runs")
        .set({ running: null, body })
        .where("run", "=", nameKey(run.id));
      if (await didWrite(own.where("running", "is not", null))) return true;
      const ended = await runs().where("run", "=", nameKey(run.id)).executeTakeFirst();
      if (ended === undefined) throw new Error(`there is no run '${run.id}'`);
      return false;
    },
    async unfinished() {
      const seal = await keys.seal();
      const rows = await runs().where("running", "is not", null).orderBy("due").execute();
      return rows.map((row) => runOf(row, seal));
    },
    async runs({ schedule, limit, dueBy }) {
      const seal = await keys.seal();
      const rows = await runs()
        .where("schedule", "=", nameKey(schedule))
        .$if(dueBy !== undefined, (some) => some.where("due", "<=", dueBy ?? 0))
        .orderBy("due", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => runOf(row, seal));
    },
  };
}

function sealedRun(seal: Seal, run: ScheduleRun): string {
  return seal.close("conduct_schedule_runs.body", [nameKey(run.id)], JSON.stringify(run));
}

function runOf({ run, body }: { readonly run: string; readonly body: string }, seal: Seal): ScheduleRun {
  return readBody<ScheduleRun>(seal.open("conduct_schedule_runs.body", [run], body), "A run");
}

function scheduleOf({ schedule, body }: { readonly schedule: string; readonly body: string }, seal: Seal): Schedule {
  return readBody<Schedule>(seal.open("conduct_schedules.body", [schedule], body), "A schedule");
}

function rowOf(schedule: Schedule, seal: Seal) {
  const { id, user, agent } = schedule;
  const body = seal.close("conduct_schedules.body", [nameKey(id)], JSON.stringify(schedule));
  return { user_id: nameKey(user), agent: nameKey(agent), body };
}
