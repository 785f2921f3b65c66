import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { Ids } from "../../../../base/ports/ids.ts";
import type { SchedulesStore } from "../../../../base/ports/stores/schedules.ts";
import type { Schedule } from "../../../../base/words/hosting/schedule.ts";
import type { User } from "../../../../base/words/hosting/user.ts";
import { nextDue } from "../../channels/schedule-times.ts";
import { scheduleFault } from "../../channels/schedules-of-config.ts";
import { type Caller, notFound, Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

/** Each may ask a model, every minute. */
const MOST_EACH = 50;
const TALK = ["operator", "user"] as const;
const deliver = z.object({ channel: z.string(), address: z.string().optional() });
const schedule = z.object({
  id: z.string(),
  agent: z.string(),
  user: z.string(),
  cron: z.string(),
  zone: z.string(),
  say: z.string(),
  deliver: deliver.optional(),
  enabled: z.boolean(),
  fixed: z.boolean().optional(),
  at: z.number(),
  next: z.number().optional(),
});
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
    response: z.object({ schedules: z.array(schedule) }),
  },
  "POST /api/schedules": {
    summary: "Add one, for oneself",
    tag: "schedules",
    roles: TALK,
    body: z.object({ agent: z.string().min(1), ...fields }),
    response: schedule,
    status: 201,
  },
  "PATCH /api/schedules/{id}": {
    summary: "Change it or switch it off; one from conduct.yaml can only be switched",
    tag: "schedules",
    roles: TALK,
    body: z.object({ ...fields, enabled: z.boolean() }).partial(),
    response: schedule,
  },
  "DELETE /api/schedules/{id}": {
    summary: "Take it away",
    tag: "schedules",
    roles: TALK,
    response: z.object({ deleted: z.literal(true) }),
  },
  "GET /api/schedules/{id}/runs": {
    summary: "Its runs, the newest first",
    tag: "schedules",
    roles: TALK,
    query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(20) }),
    response: z.object({ runs: z.array(anything) }),
  },
} satisfies RouteTable;

export type ScheduleRoomOptions = {
  readonly store: SchedulesStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly isAgent: (name: string) => boolean;
  /** Told after every change, so that it holds at once. */
  readonly changed: () => Promise<void>;
};

export function scheduleHandlers({
  store,
  clock,
  ids,
  isAgent,
  changed,
}: ScheduleRoomOptions): RouteHandlers<typeof scheduleRoutes> {
  const show = (one: Schedule) => {
    const next = one.enabled ? nextDue(one, clock.now()) : undefined;
    return { ...one, ...(next === undefined ? {} : { next }) };
  };
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
    async "POST /api/schedules"({ body: { deliver: where, ...body } }, caller) {
      const { user } = caller;
      const fields = { id: ids.next("sc"), user: user.id, ...body, enabled: true, at: clock.now() };
      const one = { ...fields, ...(where === undefined ? {} : { deliver: place(where) }) };
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
      return { runs: (await store.runs({ schedule: id, limit: query.limit })).map((run) => ({ ...run })) };
    },
  };
}

type ScheduleFields = z.output<(typeof scheduleRoutes)["PATCH /api/schedules/{id}"]["body"]>;

/** A schedule of conduct.yaml can be switched on and off; everything else is changed in the file. */
function isSwitchOnly({ enabled: _enabled, ...rest }: ScheduleFields): boolean {
  return Object.values(rest).every((value) => value === undefined);
}

function fixedFault({ fixed, id }: Schedule): Problem | undefined {
  if (fixed !== true) return undefined;
  const fix = "Change it there and start the gateway again.";
  return new Problem(409, "FIXED", `Schedule '${id}' comes from conduct.yaml.`, { fix });
}

function changedSchedule(before: Schedule, fields: ScheduleFields, now: number): Schedule {
  const { enabled = before.enabled, cron = before.cron, zone = before.zone, say = before.say, deliver: where } = fields;
  // Times that passed under the old cron, or while it was off, are not caught up.
  const isReset = enabled !== before.enabled || cron !== before.cron || zone !== before.zone;
  const next = { ...before, cron, zone, say, enabled, at: isReset ? now : before.at };
  return where === undefined ? next : { ...next, deliver: place(where) };
}

/** Agents speak in the gateway's name: a user has them speak to nobody but themselves. */
export function deliverFault({ deliver: to }: Schedule, { role, telegram }: User): string | undefined {
  if (to === undefined) return undefined;
  if (to.channel !== "telegram") return `nothing can be delivered to '${to.channel}'; there is: telegram`;
  if (to.address === undefined) return "deliver.address: the chat's id is missing";
  if (role === "operator" || to.address === String(telegram)) return undefined;
  return "deliver.address: your own chat with the bot only; an operator can set your Telegram id, and any other chat";
}

function place({ channel, address }: z.output<typeof deliver>): NonNullable<Schedule["deliver"]> {
  return { channel, ...(address === undefined ? {} : { address }) };
}
