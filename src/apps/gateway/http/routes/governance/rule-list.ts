import { z } from "zod";
import type { StandingRule } from "../../../../../base/words/contract.ts";
import type { Place, Rule } from "../../../../../base/words/rule.ts";
import { BUILT_IN_POLICIES } from "../../../../../behavior/policy/builtin/built-in-policies.ts";
import { readCases } from "../../../../../edge/host/opening/load-rules.ts";
import { parseCases, type RuleCase } from "../../../../../engine/agent/rules/parse-cases.ts";
import { parseRules } from "../../../../../engine/agent/rules/parse-rules.ts";
import { describeRule, writeRule } from "../../../../../engine/agent/rules/write-rule.ts";
import { readStandingRule, STANDING_POLICY } from "../../../../../engine/governance/standing-rules.ts";
import { rulesPoliciesOf } from "../../../../../engine/replay/replay-agents.ts";
import {
  type CountedRule,
  countedRule,
  countObjections,
  type OtherRule,
  type RuleCount,
} from "../../../../learning/harden/rule-counts.ts";
import { checkCase } from "../../../../policy/policy-expect.ts";
import { runCalls } from "../../../../policy/policy-run.ts";
import type { KnownAgent } from "../../../agents/agents.ts";
import { editRule, findRule, type RulesInFile, readRuleFile } from "../../../agents/edit-rule.ts";
import { found, Problem } from "../../problem.ts";
import { route } from "../../route.ts";
import { list, OPERATOR, READ, typed } from "../../schemas.ts";
import { putAgent, reason, written } from "../agents.ts";
import { reliableState } from "./contract.ts";

/**
 * One rule of the list, wherever it comes from: a shared rule, a rule of an agent's definition, of a rule file or pack,
 * a policy of an agent, a built-in policy, or a rule that only the journal knows (of a runtime with its own files).
 */
export type RuleShown = {
  /** Unique in the list. */
  readonly key: string;
  readonly id: string;
  readonly kind: "shared" | "agent" | "file" | "policy" | "built-in" | "elsewhere";
  readonly status: "enforced" | "shadow";
  /** The agents that it applies to; absent for all. */
  readonly agents?: readonly string[];
  readonly effect?: string;
  readonly does: string;
  readonly why?: string;
  /** The rule in rule file format. */
  readonly text?: string;
  readonly place?: Place;
  /** Shadow mode, enforcing and exemptions can be set, as a version of the agent's definition. */
  readonly editable: boolean;
  readonly count: RuleCount;
};

type Uncounted = { readonly row: Omit<RuleShown, "count">; readonly counted: CountedRule };

const DAYS = 30;
const WINDOW_MS = DAYS * 86_400_000;

export const ruleListRoutes = [
  route("GET /api/rules/all", {
    summary:
      "List every rule in one list (shared, of agents, of rule files and packs, built-in policies), with what each blocked, asked or would have blocked in the last 30 days",
    roles: READ,
    response: z.object({ rules: list(typed("RuleShown")), days: z.number() }),
    answer: async (_input, _caller, { agents, contracts, stores, clock }) => {
      const since = clock.now() - WINDOW_MS;
      const shared = [...(await reliableState(contracts)).rules].map(([, rule]) => ofShared(rule, since));
      const rows = [...shared, ...ofAgents(agents.all, since), ...builtIns(since)];
      const { counts, others } = await countObjections(
        stores.events,
        rows.map(({ counted }) => counted),
        since,
      );
      const known = rows.flatMap(({ row }, at) => {
        const count = counts[at];
        return count === undefined ? [] : [{ ...row, count }];
      });
      return { rules: [...known, ...others.map(ofJournal)], days: DAYS };
    },
  }),
  route("GET /api/rules/cases", {
    summary: "Run the test cases of one rule of a rule file or pack, as they are next to the file",
    roles: OPERATOR,
    query: z.object({ rule: z.string().max(200), agent: z.string().max(200).optional(), file: z.string().max(500) }),
    response: z.object({
      /** Absent if there is no file of cases. */
      file: z.string().optional(),
      cases: list(z.object({ name: z.string(), line: z.number(), failure: typed("CaseFailure").optional() })),
    }),
    answer: async ({ query: { rule, agent, file } }, _caller, { agents, home }) => {
      const definition = agent === undefined ? undefined : agents.find(agent)?.definition;
      const place = definition === undefined ? undefined : await findRule(definition, rule, home);
      const [, pack] = /^(packs\/[\w-]+)\/rules\.yaml$/.exec(file) ?? [];
      const rules = place?.kind === "file" ? place : pack === undefined ? undefined : await readRuleFile(pack, home);
      return rules === undefined ? { cases: [] } : runCasesOf(rule, rules);
    },
  }),
  route("POST /api/rules/edit", {
    summary:
      "Put one rule of an agent into shadow mode, enforce it, or exempt calls from it. Written as a new version of the agent's definition",
    roles: OPERATOR,
    body: z.object({
      agent: z.string().max(200),
      rule: z.string().max(200),
      edit: z.union([
        z.object({ kind: z.literal("shadow") }),
        z.object({ kind: z.literal("enforce"), effect: z.enum(["deny", "ask", "warn", "remind"]).optional() }),
        z.object({ kind: z.literal("exempt"), when: z.string().trim().min(1).max(2_000) }),
      ]),
      reason,
    }),
    response: written,
    answer: async ({ body }, { user }, api) => {
      const { definition, version } = found(api.agents.find(body.agent), `agent '${body.agent}'`);
      const place = await findRule(definition, body.rule, api.home);
      if (version === undefined || place === undefined) {
        const fix = "Change the file or the code that defines it, or add a rule of your own.";
        throw new Problem(409, "RULE_NOT_EDITABLE", `The definition of '${body.agent}' has no '${body.rule}'.`, fix);
      }
      const next = editRule(definition, body.rule, place, body.edit);
      return putAgent(api, body.agent, version.version, next, user.id, body.reason);
    },
  }),
];

function ofShared(rule: StandingRule, since: number): Uncounted {
  const { id, text, scope, status } = rule;
  const read = readStandingRule(text);
  const parsed = "rule" in read ? read.rule : undefined;
  const counted = countedRule(rule);
  return {
    row: {
      key: `shared ${id}`,
      id,
      kind: "shared",
      status,
      agents: scope === "global" ? undefined : [scope],
      effect: parsed?.effect,
      does: parsed === undefined ? "This rule cannot be read." : describeRule(parsed),
      why: parsed?.why,
      text,
      editable: true,
    },
    counted: { ...counted, since: Math.max(since, counted.since) },
  };
}

/** A rule file with the same effect for several agents is one row. */
function ofAgents(agents: readonly KnownAgent[], since: number): readonly Uncounted[] {
  const rows = new Map<string, Uncounted>();
  for (const { agent, version } of agents) {
    const written = rulesPoliciesOf(agent.policies).filter(({ name }) => name !== STANDING_POLICY);
    for (const { rules } of written)
      for (const rule of rules.ruleSet.rules) {
        const isOwn = rule.place?.file === `agents/${agent.name}`;
        const { file = agent.name, line = 0 } = isOwn ? {} : (rule.place ?? {});
        const text = writeRule(rule, rules.ruleSet.actions);
        const key = JSON.stringify([file, line, rule.id, text]);
        const names = [...(rows.get(key)?.row.agents ?? []), agent.name];
        const kind = isOwn || rule.place === undefined ? "agent" : "file";
        const row = { ...shownOf(rule), key, kind, agents: names, text, editable: version !== undefined } as const;
        const place = kind === "file" ? rule.place : undefined;
        const counted = { id: rule.id, since, file: rule.place?.file, agents: names };
        rows.set(key, { row: { ...row, place }, counted });
      }
    const others = [...agent.sections.flatMap(({ policies = [] }) => policies), ...agent.policies];
    for (const { name } of others.filter((policy) => !written.some((one) => one === policy))) {
      if (name === STANDING_POLICY) continue;
      const key = `policy ${agent.name} ${name}`;
      const does = version === undefined ? "A policy in code." : "A policy of the agent's definition.";
      rows.set(key, {
        row: { key, id: name, kind: "policy", status: "enforced", agents: [agent.name], does, editable: false },
        counted: { id: name, since, agents: [agent.name] },
      });
    }
  }
  return [...rows.values()];
}

function shownOf(rule: Rule): Pick<RuleShown, "id" | "status" | "effect" | "does" | "why"> {
  const { id, effect, why } = rule;
  return { id, status: effect === "shadow" ? "shadow" : "enforced", effect, does: describeRule(rule), why };
}

function builtIns(since: number): readonly Uncounted[] {
  return Object.entries(BUILT_IN_POLICIES).map(([id, does]) => ({
    row: { key: id, id, kind: "built-in", status: "enforced", does, editable: false },
    counted: { id, since },
  }));
}

function ofJournal({ said: { rule, place, reason: does }, agents, count }: OtherRule): RuleShown {
  const key = JSON.stringify(["elsewhere", rule, place?.file]);
  const status = count.blocked + count.asked === 0 ? "shadow" : "enforced";
  return { key, id: rule, kind: "elsewhere", status, agents, does, place, editable: false, count };
}

/** Runs the cases that expect something of the rule, each at its own level. */
async function runCasesOf(rule: string, rules: RulesInFile) {
  const file = await readCases(rules);
  if ("error" in file) return { cases: [] };
  const read = parseCases(file.text, file.shown, rules.ruleSet);
  if ("faults" in read) return { file: file.shown, cases: [] };
  const about = read.cases.filter(({ calls }) => calls.some(({ expect }) => expect?.split(" ")[1] === rule));
  const cases = [];
  for (const one of about) {
    const failure = checkCase(one, await runCalls(atLevel(rules, one), one));
    cases.push({ name: one.name, line: one.line, failure });
  }
  return { file: file.shown, cases };
}

function atLevel({ text, shown, ruleSet }: RulesInFile, { level }: RuleCase) {
  const parsed = level === undefined ? undefined : parseRules(text, shown, { level });
  return parsed === undefined || "faults" in parsed ? ruleSet : parsed.ruleSet;
}
