import { z } from "zod";
import type { EventJournal } from "../../../../../base/ports/stores/event-journal.ts";
import type { Agent } from "../../../../../base/words/hosting/agent.ts";
import { allDirectives } from "../../../../../behavior/contract/contract-state.ts";
import type { ChangeRequest } from "../../../../../behavior/contract/decide/change-request.ts";
import type { ContractService } from "../../../../../engine/governance/contract-service.ts";
import { readStandingRule } from "../../../../../engine/governance/standing-rules.ts";
import { knownNames } from "../../../../learning/harden/known-names.ts";
import { orderRule } from "../../../../learning/harden/order-rule.ts";
import { ownRule } from "../../../../learning/harden/own-rule.ts";
import { countRules } from "../../../../learning/harden/rule-counts.ts";
import { Problem } from "../../problem.ts";
import type { RouteHandlers, RouteTable } from "../../route.ts";
import { dry, list, OPERATOR, READ, typed } from "../../schemas.ts";
import { refusal, reliableState } from "./contract.ts";

const time = z.string().max(40);
const name = z.string().max(100);
const changed = z.object({ outcome: z.string(), dryRun: z.boolean(), rule: typed("StandingRule") });

export const standingRoutes = {
  "GET /api/rules/standing": {
    summary: "Directives made hard, with what each has blocked or would have",
    tag: "rules",
    roles: READ,
    response: z.object({ rules: list(typed("StandingRuleShown")) }),
  },
  "POST /api/rules/standing": {
    summary: "Make a candidate or directive a rule, or put a rule of one's own in force; in shadow at first",
    tag: "rules",
    roles: OPERATOR,
    query: dry,
    body: z.object({
      from: name.optional(),
      first: name.optional(),
      later: name.optional(),
      text: z.string().max(20_000).optional(),
      scope: z.string().max(200).optional(),
      until: time.optional(),
    }),
    response: changed,
    status: 201,
  },
  "POST /api/rules/standing/{id}/enforce": {
    summary: "Let a rule bind, from the next turn of every session",
    tag: "rules",
    roles: OPERATOR,
    query: dry,
    response: changed,
  },
  "POST /api/rules/standing/{id}/shadow": {
    summary: "Let a rule only record what it would block",
    tag: "rules",
    roles: OPERATOR,
    query: dry,
    body: z.object({ until: time.optional() }),
    response: changed,
  },
  "DELETE /api/rules/standing/{id}": {
    summary: "Take a rule away",
    tag: "rules",
    roles: OPERATOR,
    query: dry.extend({ reason: z.string().max(500).optional() }),
    response: changed,
  },
} satisfies RouteTable;

export type StandingRoutesOptions = {
  readonly service: ContractService;
  readonly events: EventJournal;
  readonly agents: () => readonly Agent[];
};

export function standingHandlers({
  service,
  events,
  agents,
}: StandingRoutesOptions): RouteHandlers<typeof standingRoutes> {
  const change = async (request: ChangeRequest, by: string, dryRun = false) => {
    const decision = await service.change(request, by, { dryRun });
    if (decision.kind === "refused") throw refusal(decision);
    const { outcome, rule } = decision;
    if (rule === undefined) throw new Error(`${request.kind} changed no rule`);
    return { outcome, dryRun, rule };
  };
  return {
    async "GET /api/rules/standing"() {
      const { rules } = await reliableState(service);
      const all = [...rules].map(([, rule]) => rule).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
      const counts = await countRules(events, all);
      return { rules: counts.flatMap((count, at) => (all[at] === undefined ? [] : [{ ...all[at], count }])) };
    },
    async "POST /api/rules/standing"({ body, query }, { user }) {
      const { from, text, scope, until, first, later } = body;
      const made = text === undefined ? await orderOf(from, { first, later }) : written(text);
      const taken = ownRule(agents(), made.rule);
      if (taken !== undefined)
        throw new Problem(409, "RULE_EXISTS", `${taken}.`, { fix: "Give the rule as `text`, with another id." });
      const request = { kind: "harden", rule: made.rule, text: made.text, from, scope, until } as const;
      return change(request, user.id, query.dryRun);
    },
    "POST /api/rules/standing/{id}/enforce": ({ params, query }, { user }) =>
      change({ kind: "enforce-rule", id: params.id }, user.id, query.dryRun),
    "POST /api/rules/standing/{id}/shadow": ({ params, body, query }, { user }) =>
      change({ kind: "shadow-rule", id: params.id, until: body.until }, user.id, query.dryRun),
    "DELETE /api/rules/standing/{id}": ({ params, query }, { user }) =>
      change({ kind: "remove-rule", id: params.id, reason: query.reason }, user.id, query.dryRun),
  };

  async function orderOf(from: string | undefined, given: { readonly first?: string; readonly later?: string }) {
    if (from === undefined) {
      const fix = "Give `from`, the id of a candidate or directive, or the `text` of a rule.";
      throw new Problem(422, "MISSING_DIRECTIVE_ID", "Nothing is named that could become a rule.", { fix });
    }
    const state = await reliableState(service);
    const source = allDirectives(state).find(({ id }) => id === from) ?? state.candidates.get(from);
    if (source === undefined) {
      const fix = "Take an id from the contract or the candidates.";
      throw new Problem(404, "DIRECTIVE_NOT_FOUND", `No directive or candidate has the id '${from}'.`, { fix });
    }
    const known = await knownNames(agents(), events);
    const made = orderRule(source, known, given);
    if (!("why" in made)) return made;
    const fix = "Name the two with `first` and `later`, or give the rule as `text`.";
    throw new Problem(422, "NO_TOOL_ORDER", `'${from}' cannot become a rule: ${made.why}.`, { fix, detail: { known } });
  }
}

function written(text: string): { readonly rule: string; readonly text: string } {
  const read = readStandingRule(text);
  if ("rule" in read) return { rule: read.rule.id, text };
  const fix = "docs/rules.md says what a rule may say.";
  throw new Problem(422, "INVALID_RULE", `The rule cannot be used: ${read.faults.join("; ")}.`, { fix });
}
