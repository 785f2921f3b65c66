import { z } from "zod";
import type { Schedule } from "../../../../base/words/hosting/schedule.ts";
import type { User } from "../../../../base/words/hosting/user.ts";
import { nextDue, scheduleFault } from "../../channels/schedule-times.ts";
import type { ApiContext } from "../api-context.ts";
import { found, notFound, Problem } from "../problem.ts";
import { type Caller, route } from "../route.ts";
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

const changes = z.object({ ...fields, enabled: z.boolean() }).partial();

export const scheduleRoutes = [
  route("GET /api/schedules", {
    summary: "List schedules; users see their own",
    roles: TALK,
    response: z.object({ schedules: list(typed("ScheduleShown")) }),
    answer: async (_input, { user }, api) => {
      const schedules = await api.stores.schedules.list(user.role === "operator" ? {} : { user: user.id });
      return { schedules: schedules.map((one) => show(one, api)) };
    },
  }),
  route("POST /api/schedules", {
    summary: "Add a schedule for yourself",
    roles: TALK,
    body: z.object({ agent: z.string().min(1), ...fields }),
    response: typed("ScheduleShown"),
    status: 201,
    answer: async ({ body }, { user }, api) => {
      const one = { id: api.ids.next("sc"), user: user.id, ...body, enabled: true, at: api.clock.now() };
      const fault = faultOf(one, user, api);
      if (fault !== undefined) throw fault;
      if ((await api.stores.schedules.add(one, MOST_EACH)) !== "added") {
        const fix = "Delete a schedule that you no longer need.";
        throw new Problem(409, "TOO_MANY", `You already have ${MOST_EACH} schedules, which is the limit.`, fix);
      }
      await api.scheduled.look();
      return show(one, api);
    },
  }),
  route("PATCH /api/schedules/{id}", {
    summary: "Change a schedule or turn it on or off; one from conduct.yaml can only be turned on or off",
    roles: TALK,
    body: changes,
    response: typed("ScheduleShown"),
    answer: async ({ params, body }, caller, api) => {
      const { id } = await find(params.id, caller, api);
      const done = await api.stores.schedules.change<Problem>(id, (before) => {
        const to = changedSchedule(before, body, api.clock.now());
        const refused = (isSwitchOnly(body) ? undefined : fixedFault(before)) ?? faultOf(to, caller.user, api);
        return refused === undefined ? { to } : { refused };
      });
      if (done.kind === "missing") throw notFound(`schedule '${id}'`);
      if (done.kind === "refused") throw done.refused;
      await api.scheduled.look();
      return show(done.schedule, api);
    },
  }),
  route("DELETE /api/schedules/{id}", {
    summary: "Delete a schedule",
    roles: TALK,
    response: deleted,
    answer: async ({ params }, caller, api) => {
      const before = await find(params.id, caller, api);
      const fixed = fixedFault(before);
      if (fixed !== undefined) throw fixed;
      await api.stores.schedules.remove(before.id);
      return { deleted: true } as const;
    },
  }),
  route("GET /api/schedules/{id}/runs", {
    summary: "List the runs of a schedule, newest first",
    roles: TALK,
    query: z.object({ limit: count(200, 20) }),
    response: z.object({ runs: list(typed("ScheduleRun")) }),
    answer: async ({ params, query }, caller, api) => {
      const { id } = await find(params.id, caller, api);
      return { runs: await api.stores.schedules.runs({ schedule: id, limit: query.limit }) };
    },
  }),
];

function show(one: Schedule, { clock }: ApiContext) {
  return { ...one, next: one.enabled ? nextDue(one, clock.now()) : undefined };
}

/** Another user's schedule is reported as missing. */
async function find(id: string, { user }: Caller, { stores }: ApiContext): Promise<Schedule> {
  const schedule = await stores.schedules.read(id);
  const isHidden = user.role !== "operator" && schedule?.user !== user.id;
  return found(isHidden ? undefined : schedule, `schedule '${id}'`);
}

function faultOf(one: Schedule, user: User, { clock, agents }: ApiContext): Problem | undefined {
  const isAgent = (name: string) => agents.find(name) !== undefined;
  const fault = scheduleFault(one, { now: clock.now(), isAgent }) ?? deliverFault(one, user);
  return fault === undefined ? undefined : new Problem(422, "SCHEDULE_INVALID", fault);
}

type ScheduleFields = z.output<typeof changes>;

/** A schedule from conduct.yaml can only be turned on and off here. */
function isSwitchOnly({ enabled: _enabled, ...rest }: ScheduleFields): boolean {
  return Object.values(rest).every((value) => value === undefined);
}

function fixedFault({ fixed, id }: Schedule): Problem | undefined {
  if (fixed !== true) return undefined;
  const fix = "Change it in the file, and restart the gateway.";
  return new Problem(409, "FIXED", `Schedule '${id}' is defined in conduct.yaml.`, fix);
}

function changedSchedule(before: Schedule, fields: ScheduleFields, now: number): Schedule {
  const { enabled = before.enabled, cron = before.cron, zone = before.zone, say = before.say } = fields;
  // Runs that were due under the old cron, or while the schedule was off, are skipped.
  const isReset = enabled !== before.enabled || cron !== before.cron || zone !== before.zone;
  const { deliver = before.deliver } = fields;
  return { ...before, cron, zone, say, enabled, deliver, at: isReset ? now : before.at };
}

/** Agents speak for the gateway, so a user may only have messages delivered to their own chat. */
export function deliverFault({ deliver: to }: Schedule, { role, telegram, slack }: User): string | undefined {
  if (to === undefined) return undefined;
  if (to.channel !== "telegram" && to.channel !== "slack")
    return `deliver.channel: '${to.channel}' is not supported; use telegram or slack`;
  if (to.address === undefined) return "deliver.address: the id of the chat is missing";
  const own = to.channel === "slack" ? slack : telegram;
  if (role === "operator" || (own !== undefined && to.address === String(own))) return undefined;
  const name = to.channel === "slack" ? "Slack" : "Telegram";
  return `deliver.address: must be your own chat with the bot. An operator can set your ${name} id, or deliver to any chat`;
}
