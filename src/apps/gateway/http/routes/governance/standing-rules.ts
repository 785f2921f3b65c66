import { z } from "zod";
import { allDirectives } from "../../../../../behavior/contract/contract-state.ts";
import type { ChangeRequest } from "../../../../../behavior/contract/decide/change-request.ts";
import { readStandingRule } from "../../../../../engine/governance/standing-rules.ts";
import { orderRule } from "../../../../learning/harden/order-rule.ts";
import { ownRule } from "../../../../learning/harden/own-rule.ts";
import { countRules, knownNames } from "../../../../learning/harden/rule-counts.ts";
import type { ApiContext } from "../../api-context.ts";
import { Problem } from "../../problem.ts";
import { type Caller, route } from "../../route.ts";
import { dry, list, OPERATOR, READ, typed } from "../../schemas.ts";
import { decided, reliableState } from "./contract.ts";

const time = z.string().max(40);
const name = z.string().max(100);
const changed = z.object({ outcome: z.string(), dryRun: z.boolean(), rule: typed("StandingRule") });

const changing = { roles: OPERATOR, query: dry, response: changed } as const;

export const standingRoutes = [
  route("GET /api/rules/standing", {
    summary: "List the shared rules, with what each has blocked or would have blocked",
    roles: READ,
    response: z.object({ rules: list(typed("StandingRuleShown")) }),
    answer: async (_input, _caller, { contracts, stores }) => {
      const { rules } = await reliableState(contracts);
      const all = [...rules].map(([, rule]) => rule).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
      const counts = await countRules(stores.events, all);
      return { rules: counts.flatMap((count, at) => (all[at] === undefined ? [] : [{ ...all[at], count }])) };
    },
  }),
  route("POST /api/rules/standing", {
    ...changing,
    summary: "Add a shared rule from a candidate or directive, or from a text; it starts in shadow",
    body: z.object({
      from: name.optional(),
      first: name.optional(),
      later: name.optional(),
      text: z.string().max(20_000).optional(),
      scope: z.string().max(200).optional(),
      until: time.optional(),
    }),
    status: 201,
    answer: async ({ body, query }, caller, api) => {
      const { from, text, scope, until, first, later } = body;
      const made = text === undefined ? await orderOf(api, from, { first, later }) : written(text);
      const taken = ownRule(api.conduct.agents, made.rule);
      if (taken !== undefined)
        throw new Problem(409, "RULE_EXISTS", `${taken}.`, "Send the rule as `text`, with another id.");
      const request = { kind: "harden", rule: made.rule, text: made.text, from, scope, until } as const;
      return change(api, request, caller, query);
    },
  }),
  route("POST /api/rules/standing/{id}/enforce", {
    ...changing,
    summary: "Enforce a rule from the next turn of every session",
    answer: ({ params, query }, caller, api) => change(api, { kind: "enforce-rule", id: params.id }, caller, query),
  }),
  route("POST /api/rules/standing/{id}/shadow", {
    ...changing,
    summary: "Put a rule in shadow: it only records what it would block",
    body: z.object({ until: time.optional() }),
    answer: ({ params, body, query }, caller, api) =>
      change(api, { kind: "shadow-rule", id: params.id, until: body.until }, caller, query),
  }),
  route("DELETE /api/rules/standing/{id}", {
    ...changing,
    summary: "Remove a rule",
    query: dry.extend({ reason: z.string().max(500).optional() }),
    answer: ({ params, query }, caller, api) =>
      change(api, { kind: "remove-rule", id: params.id, reason: query.reason }, caller, query),
  }),
];

async function change(
  { contracts }: ApiContext,
  request: ChangeRequest,
  caller: Caller,
  { dryRun = false }: z.output<typeof dry>,
) {
  const { outcome, rule } = await decided(contracts, request, caller, dryRun);
  if (rule === undefined) throw new Error(`${request.kind} changed no rule`);
  return { outcome, dryRun, rule };
}

async function orderOf(
  { contracts, conduct, stores }: ApiContext,
  from: string | undefined,
  given: { readonly first?: string; readonly later?: string },
) {
  if (from === undefined) {
    const fix = "Send `from`, the id of a candidate or directive, or the `text` of a rule.";
    throw new Problem(422, "MISSING_DIRECTIVE_ID", "The request names no source for a rule.", fix);
  }
  const state = await reliableState(contracts);
  const source = allDirectives(state).find(({ id }) => id === from) ?? state.candidates.get(from);
  if (source === undefined) {
    const fix = "Use an id from the contract or the candidates.";
    throw new Problem(404, "DIRECTIVE_NOT_FOUND", `No directive or candidate has the id '${from}'.`, fix);
  }
  const known = await knownNames(conduct.agents, stores.events);
  const made = orderRule(source, known, given);
  if (!("why" in made)) return made;
  const fix = "Name the two tools with `first` and `later`, or send the rule as `text`.";
  throw new Problem(422, "NO_TOOL_ORDER", `'${from}' cannot become a rule: ${made.why}.`, fix, { known });
}

function written(text: string): { readonly rule: string; readonly text: string } {
  const read = readStandingRule(text);
  if ("rule" in read) return { rule: read.rule.id, text };
  const fix = "See the format of rules with: conduct policy schema";
  throw new Problem(422, "INVALID_RULE", `The rule is invalid: ${read.faults.join("; ")}.`, fix);
}
