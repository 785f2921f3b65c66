import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { Ids } from "../../../../base/ports/ids.ts";
import type { SchedulesStore } from "../../../../base/ports/stores/schedules.ts";
import type { Schedule } from "../../../../base/words/hosting/schedule.ts";
import type { User } from "../../../../base/words/hosting/user.ts";
import { nextDue } from "../../channels/schedule-times.ts";
import { scheduleFault } from "../../channels/schedules-of-config.ts";
import { notFound, Problem } from "../problem.ts";
import type { Caller, RouteHandlers, RouteTable } from "../route.ts";
import { count, deleted, list, TALK, typed } from "../schemas.ts";

/** Maximum per user, because each schedule may call a model every minute. */
const MOST_EACH = 50;
const deliver = z.object({ channel: z.string(), address: z.string().optional() });
const fields = {
  cron: z.string().min(1).max(100),
  zone: z.string().min(1).max(60),
  say: z.string().min(1).max(10_000),
  deliver: deliver.optional(),
};

export const scheduleRoutes = {
  "GET /api/schedules": {
    summary: "What agents are asked at set times; a user sees their own",
    tag: "schedules",
    roles: TALK,
    response: z.object({ schedules: list(typed("ScheduleShown")) }),
  },
  "POST /api/schedules": {
    summary: "Add one, for oneself",
    tag: "schedules",
    roles: TALK,
    body: z.object({ agent: z.string().min(1), ...fields }),
    response: typed("ScheduleShown"),
    status: 201,
  },
  "PATCH /api/schedules/{id}": {
    summary: "Change it or switch it off; one from conduct.yaml can only be switched",
    tag: "schedules",
    roles: TALK,
    body: z.object({ ...fields, enabled: z.boolean() }).partial(),
    response: typed("ScheduleShown"),
  },
  "DELETE /api/schedules/{id}": { summary: "Take it away", tag: "schedules", roles: TALK, response: deleted },
  "GET /api/schedules/{id}/runs": {
    summary: "Its runs, the newest first",
    tag: "schedules",
    roles: TALK,
    query: z.object({ limit: count(200, 20) }),
    response: z.object({ runs: list(typed("ScheduleRun")) }),
  },
} satisfies RouteTable;

export type ScheduleRoutesOptions = {
  readonly store: SchedulesStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly isAgent: (name: string) => boolean;
  /** Called after every change, so that the change takes effect immediately. */
  readonly changed: () => Promise<void>;
};

export function scheduleHandlers({
  store,
  clock,
  ids,
  isAgent,
  changed,
}: ScheduleRoutesOptions): RouteHandlers<typeof scheduleRoutes> {
  const show = (one: Schedule) => ({ ...one, next: one.enabled ? nextDue(one, clock.now()) : undefined });
  const find = async (id: string, { user }: Caller): Promise<Schedule> => {
    const found = await store.read(id);
    if (found === undefined || (user.role !== "operator" && found.user !== user.id)) throw notFound(`schedule '${id}'`);
    return found;
  };
  const faultOf = (one: Schedule, { user }: Caller): Problem | undefined => {
    const fault = scheduleFault(one, { now: clock.now(), isAgent }) ?? deliverFault(one, user);
    return fault === undefined ? undefined : new Problem(422, "SCHEDULE_INVALID", fault);
  };

  return {
    async "GET /api/schedules"(_input, { user }) {
      const found = await store.list(user.role === "operator" ? {} : { user: user.id });
      return { schedules: found.map(show) };
    },
    async "POST /api/schedules"({ body }, caller) {
      const one = { id: ids.next("sc"), user: caller.user.id, ...body, enabled: true, at: clock.now() };
      const fault = faultOf(one, caller);
      if (fault !== undefined) throw fault;
      if ((await store.add(one, MOST_EACH)) !== "added")
        throw new Problem(409, "TOO_MANY", `You have ${MOST_EACH} schedules already, which is the most.`, {
          fix: "Delete a schedule that you no longer need.",
        });
      await changed();
      return show(one);
    },
    async "PATCH /api/schedules/{id}"({ params, body }, caller) {
      const { id } = await find(params.id, caller);
      const done = await store.change<Problem>(id, (before) => {
        const to = changedSchedule(before, body, clock.now());
        const refused = (isSwitchOnly(body) ? undefined : fixedFault(before)) ?? faultOf(to, caller);
        return refused === undefined ? { to } : { refused };
      });
      if (done.kind === "missing") throw notFound(`schedule '${id}'`);
      if (done.kind === "refused") throw done.refused;
      await changed();
      return show(done.schedule);
    },
    async "DELETE /api/schedules/{id}"({ params }, caller) {
      const before = await find(params.id, caller);
      const fixed = fixedFault(before);
      if (fixed !== undefined) throw fixed;
      await store.remove(before.id);
      return { deleted: true };
    },
    async "GET /api/schedules/{id}/runs"({ params, query }, caller) {
      const { id } = await find(params.id, caller);
      return { runs: await store.runs({ schedule: id, limit: query.limit }) };
    },
  };
}

type ScheduleFields = z.output<(typeof scheduleRoutes)["PATCH /api/schedules/{id}"]["body"]>;

/** A schedule from conduct.yaml can only be turned on and off here. */
function isSwitchOnly({ enabled: _enabled, ...rest }: ScheduleFields): boolean {
  return Object.values(rest).every((value) => value === undefined);
}

function fixedFault({ fixed, id }: Schedule): Problem | undefined {
  if (fixed !== true) return undefined;
  const fix = "Change it there and start the gateway again.";
  return new Problem(409, "FIXED", `Schedule '${id}' comes from conduct.yaml.`, { fix });
}

function changedSchedule(before: Schedule, fields: ScheduleFields, now: number): Schedule {
  const { enabled = before.enabled, cron = before.cron, zone = before.zone, say = before.say } = fields;
  // Runs that were due under the old cron, or while the schedule was off, are skipped.
  const isReset = enabled !== before.enabled || cron !== before.cron || zone !== before.zone;
  const { deliver = before.deliver } = fields;
  return { ...before, cron, zone, say, enabled, deliver, at: isReset ? now : before.at };
}

/** Agents speak for the gateway, so a user may only have messages delivered to their own chat. */
export function deliverFault({ deliver: to }: Schedule, { role, telegram }: User): string | undefined {
  if (to === undefined) return undefined;
  if (to.channel !== "telegram") return `nothing can be delivered to '${to.channel}'; there is: telegram`;
  if (to.address === undefined) return "deliver.address: the chat's id is missing";
  if (role === "operator" || to.address === String(telegram)) return undefined;
  return "deliver.address: your own chat with the bot only; an operator can set your Telegram id, and any other chat";
}
