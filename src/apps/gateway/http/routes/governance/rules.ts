import { z } from "zod";
import { asList, asObject, isObject } from "../../../../../base/kernel/json.ts";
import type { Rule, RuleSet } from "../../../../../base/words/rule.ts";
import { ConfigSource } from "../../../../../engine/agent/config/config-source.ts";
import { draftRules, type RuleDraft } from "../../../../../engine/agent/rules/build-rule.ts";
import { parseCases } from "../../../../../engine/agent/rules/parse-cases.ts";
import { joinRules, parseRules } from "../../../../../engine/agent/rules/parse-rules.ts";
import { describeRule, writeRule, writeRules } from "../../../../../engine/agent/rules/write-rule.ts";
import { STANDING_POLICY } from "../../../../../engine/governance/standing-rules.ts";
import { rulesPoliciesOf } from "../../../../../engine/replay/replay-agents.ts";
import { knownNames } from "../../../../learning/harden/rule-counts.ts";
import { type CaseFailure, checkCase } from "../../../../policy/policy-expect.ts";
import { runCalls } from "../../../../policy/policy-run.ts";
import type { Agents, KnownAgent } from "../../../agents/agents.ts";
import { route } from "../../route.ts";
import { list, OPERATOR, READ, typed } from "../../schemas.ts";

const text = z.string().max(200_000);
const fault = z.object({
  line: z.number(),
  column: z.number(),
  message: z.string(),
  hint: z.string().optional(),
});
/** Maximum number of cases in one run. */
const MOST_CASES = 200;

const ruleOfAgent = z.object({
  id: z.string(),
  effect: z.string(),
  does: z.string(),
  /** The rule in rule file format. */
  text: z.string(),
  /** Absent for a rule of the agent's own definition. */
  place: z.object({ file: z.string(), line: z.number() }).optional(),
});

export const ruleRoutes = [
  route("GET /api/rules", {
    summary: "List each agent's rules with text and location, its other policies, and the names that rules can use",
    roles: READ,
    response: z.object({
      agents: list(
        z.object({
          agent: z.string(),
          version: z.number(),
          /** The rules and actions of the agent's own definition in rule file format; empty if none. Operators only. */
          own: z.string().optional(),
          rules: list(ruleOfAgent),
          policies: list(z.string()),
        }),
      ),
      known: list(z.string()),
    }),
    answer: async (_input, { user }, { agents: { all }, stores }) => ({
      agents: all.map((one) => rulesOf(one, user.role === "operator")),
      known: await knownNames(
        all.map(({ agent }) => agent),
        stores.events,
      ),
    }),
  }),
  route("POST /api/rules/check", {
    summary: "Check a rule file: every fault with its location, or what each rule does",
    roles: READ,
    body: z.object({ text }),
    response: z.object({
      faults: list(fault),
      warnings: list(fault),
      rules: list(z.object({ id: z.string(), effect: z.string(), does: z.string(), line: z.number().optional() })),
      /** The file as JSON; its `rules` and `actions` fit into an agent's definition. Absent if there are faults. */
      written: typed("JsonObject").optional(),
    }),
    answer: async ({ body }, _caller, { agents }) => {
      const draft = draftRules(body.text, "rules.yaml");
      const parsed = joinRules([draft, declared(agents, draft)]);
      if ("faults" in parsed) return { faults: parsed.faults, warnings: [], rules: [] };
      const rules = parsed.ruleSet.rules.map((rule) => {
        const { id, effect, place } = rule;
        return { id, effect, does: describeRule(rule), line: place?.line };
      });
      const written = asObject(new ConfigSource(body.text, "rules.yaml").value);
      return { faults: [], warnings: parsed.warnings, rules, written };
    },
  }),
  route("POST /api/rules/test", {
    summary: "Run test cases against a rule file on the real engine",
    roles: OPERATOR,
    body: z.object({ text, cases: text }),
    response: z.object({
      faults: list(fault),
      caseFaults: list(fault),
      passed: z.number(),
      failures: list(typed("CaseFailure")),
    }),
    answer: async ({ body }) => {
      const nothing = { faults: [], caseFaults: [], passed: 0, failures: [] };
      const parsed = parseRules(body.text, "rules.yaml");
      if ("faults" in parsed) return { ...nothing, faults: parsed.faults };
      const read = parseCases(body.cases, "cases.yaml", parsed.ruleSet);
      if ("faults" in read) return { ...nothing, caseFaults: read.faults };
      const failures: CaseFailure[] = [];
      const cases = read.cases.slice(0, MOST_CASES);
      for (const one of cases) {
        const failure = checkCase(one, await runCalls(parsed.ruleSet, one));
        if (failure !== undefined) failures.push(failure);
      }
      return { ...nothing, passed: cases.length - failures.length, failures };
    },
  }),
];

/** Declares the names that agents use, so that a rule about one of them gets no warning. */
function declared(agents: Pick<Agents, "all">, { written, tools: own }: RuleDraft): RuleDraft {
  const said = new Set([...written, ...own.map(({ value }) => value.name)]);
  const names = agents.all.flatMap(({ agent }) => [
    ...agent.tools.map(({ name }) => name),
    ...Object.keys(agent.actions),
  ]);
  const tools = [...new Set(names)].filter((name) => !said.has(name)).map((name) => ({ value: { name }, path: [] }));
  return { ...draftRules("{}", "agents"), tools, faults: [] };
}

function rulesOf({ agent, definition, version }: KnownAgent, isOperator: boolean) {
  const found = rulesPoliciesOf(agent.policies).filter(({ name }) => name !== STANDING_POLICY);
  const others = [...agent.sections.flatMap(({ policies = [] }) => policies), ...agent.policies];
  const show = (rule: Rule, { actions }: RuleSet) => ({
    id: rule.id,
    effect: rule.effect,
    does: describeRule(rule),
    text: writeRule(rule, actions),
    place: rule.place?.file === `agents/${agent.name}` ? undefined : rule.place,
  });
  return {
    agent: agent.name,
    version: version?.version ?? 0,
    own: isOperator ? ownText(definition) : undefined,
    rules: found.flatMap(({ rules: { ruleSet } }) => ruleSet.rules.map((rule) => show(rule, ruleSet))),
    policies: others.filter((policy) => !found.some((one) => one === policy)).map(({ name }) => name),
  };
}

/** Only rules of the definition itself. Rules of files and packs are edited there. */
function ownText({ actions, rules }: KnownAgent["definition"]): string {
  const own = asList(rules).filter((rule) => isObject(rule));
  const named = asObject(actions);
  if (own.length === 0 && Object.keys(named).length === 0) return "";
  return writeRules({
    ...(Object.keys(named).length === 0 ? {} : { actions: named }),
    ...(own.length === 0 ? {} : { rules: own }),
  });
}
