import type { SchedulesStore } from "../../base/ports/stores/schedules.ts";
import type { Schedule, ScheduleRun } from "../../base/words/hosting/schedule.ts";

/** Schedules that end with the process. */
export function memorySchedules(): SchedulesStore {
  const schedules = new Map<string, Schedule>();
  const runs = new Map<string, ScheduleRun>();
  const runsOf = (schedule: string) => [...runs.values()].filter((run) => run.schedule === schedule);
  return {
    async add(schedule, most = Number.POSITIVE_INFINITY) {
      if (schedules.has(schedule.id)) return "exists";
      const owned = [...schedules.values()].filter(({ user }) => user === schedule.user).length;
      if (owned >= most) return "full";
      schedules.set(schedule.id, schedule);
      return "added";
    },
    async change(id, edit) {
      const before = schedules.get(id);
      if (before === undefined) return { kind: "missing" };
      const edited = edit(before);
      if ("refused" in edited) return { kind: "refused", ...edited };
      schedules.set(id, edited.to);
      return { kind: "changed", schedule: edited.to };
    },
    read: async (id) => schedules.get(id),
    list: async ({ user, agent } = {}) =>
      [...schedules.values()]
        .filter((one) => (user === undefined || one.user === user) && (agent === undefined || one.agent === agent))
        .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
    async remove(id) {
      schedules.delete(id);
    },
    async begin(run) {
      const others = runsOf(run.schedule);
      const taken = others.some(
        ({ due, status }) => due === run.due || (run.status === "running" && status === "running"),
      );
      if (taken) return false;
      runs.set(run.id, run);
      return true;
    },
    async end(run) {
      const before = runs.get(run.id);
      if (before === undefined) throw new Error(`there is no run '${run.id}'`);
      if (before.status !== "running") return false;
      runs.set(run.id, run);
      return true;
    },
    unfinished: async () => [...runs.values()].filter(({ status }) => status === "running"),
    runs: async ({ schedule, limit, dueBy = Number.POSITIVE_INFINITY }) =>
      runsOf(schedule)
        .filter(({ due }) => due <= dueBy)
        .sort((a, b) => b.due - a.due)
        .slice(0, limit),
  };
}
