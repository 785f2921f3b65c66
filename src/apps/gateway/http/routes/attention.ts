import { z } from "zod";
import type { BehaviorDirective } from "../../../../base/words/contract.ts";
import type { TurnRecord } from "../../../../base/words/hosting/conversation.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import { comparisonKey, soundsLike } from "../../../../behavior/contract/parse/comparison-key.ts";
import { meet } from "../../../../behavior/contract/scopes.ts";
import { governanceHealth } from "../../../../engine/governance/governance-health.ts";
import type { ApiContext } from "../api-context.ts";
import { route } from "../route.ts";
import { list, READ, typed } from "../schemas.ts";

const DAY_MS = 24 * 3_600_000;
/** Conversations of the last day that are checked at most. */
const MOST_CHECKED = 100;
/** A limit is reported from this share on. */
const NEARLY = 0.8;

const health = z.object({ name: z.string(), code: z.string(), message: z.string() });
const budget = z.object({
  session: z.string(),
  agent: z.string(),
  scope: z.enum(["turn", "session", "day"]),
  what: z.string(),
  limit: z.number(),
  used: z.number(),
});
const turn = z.object({
  session: z.string(),
  agent: z.string(),
  channel: z.string(),
  user: z.string(),
  text: z.string(),
  status: z.enum(["failed", "interrupted"]),
  why: z.string().optional(),
  at: z.number(),
});

export const attentionRoutes = [
  route("GET /api/attention", {
    summary:
      "Show what an operator should look at besides questions and proposals: conversations whose newest turn failed or was interrupted in the last 24 hours, parts of the gateway that are degraded, directives that say nearly the same, and limits that are used to 80 %",
    roles: READ,
    response: z.object({
      turns: list(turn),
      health: list(health),
      duplicates: list(z.object({ a: typed("BehaviorDirective"), b: typed("BehaviorDirective") })),
      budgets: list(budget),
    }),
    answer: async (_input, _caller, api) => ({
      turns: await brokenTurns(api),
      health: (await api.health()).flatMap((one) =>
        one.kind === "ok" ? [] : [{ name: one.name, code: one.code, message: one.message }],
      ),
      duplicates: await nearDuplicates(api),
      budgets: await nearLimits(api),
    }),
  }),
];

/** A later turn of the same conversation shows that the problem is over. */
async function brokenTurns({ stores: { conversations }, clock }: ApiContext): Promise<z.output<typeof turn>[]> {
  const since = clock.now() - DAY_MS;
  const recent = (await conversations.list({ limit: MOST_CHECKED })).filter(({ lastAt }) => lastAt >= since);
  const found = await Promise.all(
    recent.map(async ({ id, agent, channel, user }) => {
      const [newest] = await conversations.turns({ conversation: id, limit: 1 });
      if (newest === undefined || !isBroken(newest.status)) return [];
      const { status, why, text, at, endedAt } = newest;
      return [{ session: id, agent, channel, user, text: text.slice(0, 500), status, why, at: endedAt ?? at }];
    }),
  );
  return found.flat().sort((a, b) => b.at - a.at);
}

function isBroken(status: TurnRecord["status"]): status is "failed" | "interrupted" {
  return status === "failed" || status === "interrupted";
}

/** Pairs of the same type that apply to the same session and sound alike. */
async function nearDuplicates({ contracts }: ApiContext) {
  // A damaged journal has its own warning.
  if (!(await governanceHealth(contracts)).ok) return [];
  const all = allDirectives(await contracts.state());
  return all.flatMap((a, at) => all.slice(at + 1).flatMap((b) => (areAlike(a, b) ? [{ a, b }] : [])));
}

function areAlike(a: BehaviorDirective, b: BehaviorDirective): boolean {
  if (a.type !== b.type || !meet(a.scope, b.scope)) return false;
  return comparisonKey(a.text) === comparisonKey(b.text) || soundsLike(a.text, b.text);
}

/** Only sessions in memory are checked: an idle one uses nothing. */
async function nearLimits({ stores, conduct, clock }: ApiContext): Promise<z.output<typeof budget>[]> {
  const { sessions } = await stores.events.sessions({ limit: MOST_CHECKED, since: clock.now() - DAY_MS });
  return sessions.flatMap(({ session, agent }) => {
    const scopes = conduct.find(session)?.view.scopes ?? [];
    return scopes.flatMap(({ scope, budget: limits, usage }) => {
      const used = { ...usage, tokens: usage.inputTokens + usage.outputTokens };
      return (["tokens", "inputTokens", "outputTokens", "calls", "cost"] as const).flatMap((what) => {
        const limit = limits[what];
        if (limit === undefined || limit <= 0 || used[what] < limit * NEARLY) return [];
        return [{ session, agent, scope, what, limit, used: used[what] }];
      });
    });
  });
}
