import { z } from "zod";
import { asList, asObject, isObject } from "../../../../base/kernel/json.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { Rule, RuleSet } from "../../../../base/words/rule.ts";
import { ConfigSource } from "../../../../engine/agent/config/config-source.ts";
import { describeRule } from "../../../../engine/agent/rules/describe-rule.ts";
import { parseCases } from "../../../../engine/agent/rules/parse-cases.ts";
import { joinRules, parseRules } from "../../../../engine/agent/rules/parse-rules.ts";
import { draftRules, type RuleDraft } from "../../../../engine/agent/rules/rule-draft.ts";
import { writeRule, writeRules } from "../../../../engine/agent/rules/write-rule.ts";
import { STANDING_POLICY } from "../../../../engine/governance/standing-rules.ts";
import { rulesPoliciesOf } from "../../../../engine/replay/replay-agents.ts";
import { knownNames } from "../../../learning/harden/known-names.ts";
import { checkCase } from "../../../policy/policy-expect.ts";
import { runCalls } from "../../../policy/policy-run.ts";
import type { Agents, KnownAgent } from "../../agents/agents.ts";
import type { RouteHandlers, RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

const OPERATOR = ["operator"] as const;
const text = z.string().max(200_000);
const fault = z.object({
  line: z.number(),
  column: z.number(),
  message: z.string(),
  hint: z.string().optional(),
});
/** A rule file has as many cases as a person would write. */
const MOST_CASES = 200;

const ruleOfAgent = z.object({
  id: z.string(),
  effect: z.string(),
  does: z.string(),
  /** A rule file that says the same. */
  text: z.string(),
  /** Where it is written; absent when that is the agent's own definition. */
  place: z.object({ file: z.string(), line: z.number() }).optional(),
});

export const ruleRoutes = {
  "GET /api/rules": {
    summary:
      "What binds each agent: rules with their text and place, other policies by name; and the names that rules can be about",
    tag: "rules",
    roles: ["operator", "viewer"],
    response: z.object({
      agents: z.array(
        z.object({
          agent: z.string(),
          version: z.number(),
          /** The rules and actions of its own definition as a rule file; for operators, and empty when it has none. */
          own: z.string().optional(),
          rules: z.array(ruleOfAgent),
          policies: z.array(z.string()),
        }),
      ),
      known: z.array(z.string()),
    }),
  },
  "POST /api/rules/check": {
    summary: "Every fault of a rule file with its place, or what each rule does",
    tag: "rules",
    roles: ["operator", "viewer"],
    body: z.object({ text }),
    response: z.object({
      faults: z.array(fault),
      warnings: z.array(fault),
      rules: z.array(z.object({ id: z.string(), effect: z.string(), does: z.string(), line: z.number().optional() })),
      /** What the file says, as JSON: `rules` and `actions` can stand in an agent's definition. Absent with faults. */
      written: anything.optional(),
    }),
  },
  "POST /api/rules/test": {
    summary: "Run cases against a rule file, on the real engine",
    tag: "rules",
    roles: OPERATOR,
    body: z.object({ text, cases: text }),
    response: z.object({
      faults: z.array(fault),
      caseFaults: z.array(fault),
      passed: z.number(),
      failures: z.array(anything),
    }),
  },
} satisfies RouteTable;

export function ruleHandlers(agents: Pick<Agents, "all">, events: EventJournal): RouteHandlers<typeof ruleRoutes> {
  return {
    async "GET /api/rules"(_input, { user }) {
      const known = await knownNames(
        agents.all.map(({ agent }) => agent),
        events,
      );
      return { agents: agents.all.map((one) => rulesOf(one, user.role === "operator")), known: [...known] };
    },
    async "POST /api/rules/check"({ body }) {
      const draft = draftRules(body.text, "rules.yaml");
      const parsed = joinRules([draft, declared(agents, draft)]);
      if ("faults" in parsed) return { faults: places(parsed.faults), warnings: [], rules: [] };
      const rules = parsed.ruleSet.rules.map((rule) => ({
        id: rule.id,
        effect: rule.effect,
        does: describeRule(rule),
        ...(rule.place === undefined ? {} : { line: rule.place.line }),
      }));
      const written = asObject(new ConfigSource(body.text, "rules.yaml").value);
      return { faults: [], warnings: places(parsed.warnings), rules, written };
    },
    async "POST /api/rules/test"({ body }) {
      const nothing = { faults: [], caseFaults: [], passed: 0, failures: [] };
      const parsed = parseRules(body.text, "rules.yaml");
      if ("faults" in parsed) return { ...nothing, faults: places(parsed.faults) };
      const read = parseCases(body.cases, "cases.yaml", parsed.ruleSet);
      if ("faults" in read) return { ...nothing, caseFaults: places(read.faults) };
      const failures: Record<string, unknown>[] = [];
      const cases = read.cases.slice(0, MOST_CASES);
      for (const one of cases) {
        const failure = checkCase(one, await runCalls(parsed.ruleSet, one));
        if (failure !== undefined) failures.push({ ...failure });
      }
      return { ...nothing, passed: cases.length - failures.length, failures };
    },
  };
}

/** The names that agents have, so that a rule about one of them is not doubted. */
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
    ...(rule.place === undefined || rule.place.file === `agents/${agent.name}` ? {} : { place: { ...rule.place } }),
  });
  return {
    agent: agent.name,
    version: version?.version ?? 0,
    ...(isOperator ? { own: ownText(definition) } : {}),
    rules: found.flatMap(({ rules: { ruleSet } }) => ruleSet.rules.map((rule) => show(rule, ruleSet))),
    policies: others.filter((policy) => !found.some((one) => one === policy)).map(({ name }) => name),
  };
}

/** What the definition itself says of rules: files and packs are changed where they are. */
function ownText({ actions, rules }: KnownAgent["definition"]): string {
  const own = asList(rules).filter((rule) => isObject(rule));
  const named = asObject(actions);
  if (own.length === 0 && Object.keys(named).length === 0) return "";
  return writeRules({
    ...(Object.keys(named).length === 0 ? {} : { actions: named }),
    ...(own.length === 0 ? {} : { rules: own }),
  });
}

function places(
  faults: readonly {
    readonly line: number;
    readonly column: number;
    readonly message: string;
    readonly hint?: string;
  }[],
) {
  return faults.map(({ line, column, message, hint }) => ({
    line,
    column,
    message,
    ...(hint === undefined ? {} : { hint }),
  }));
}
