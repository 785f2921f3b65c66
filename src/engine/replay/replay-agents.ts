import { isObject } from "../../base/kernel/json.ts";
import type { StandingRule } from "../../base/words/contract.ts";
import type { Agent, AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { ToolPolicy } from "../../base/words/policy.ts";
import type { Rule, RuleSet } from "../../base/words/rule.ts";
import { allow, deny } from "../../behavior/policy/policy-decision.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { CompiledAgent } from "../agent/compiled-agent.ts";
import { fillAgent } from "../agent/define-agent.ts";
import { STANDING_POLICY, withStandingRules } from "../governance/standing-rules.ts";

export const PROTECTED_PATHS = "builtin:protected-paths";

/** Path protection depends only on the machine, so the recorded decision is used. The facts contain it. */
const recordedProtection: ToolPolicy = {
  name: PROTECTED_PATHS,
  check(_call, { facts }) {
    const known = facts.policies[PROTECTED_PATHS];
    if (!isObject(known)) return allow();
    const reason = String(known.reason);
    return deny(reason, { code: "protected-path", next: String(known.next), key: reason });
  },
};

/**
 * A change of the agents' rules: `replace` drops all their own rules, `add` keeps those whose ids are not given again.
 * `agent` limits the change to one agent. A rule with a standing rule's id changes the standing rule, unless the agent
 * has its own rule with that id.
 */
export type RuleChange = { readonly how: "replace" | "add"; readonly ruleSet: RuleSet; readonly agent?: string };

/** The agents of a replay: today's definitions, with changed rules if given. */
export class ReplayAgents {
  readonly #defined: ReadonlyMap<string, Agent>;
  readonly #change: RuleChange | undefined;
  readonly #standing: readonly StandingRule[];
  readonly #compiled = new Map<string, CompiledAgent>();

  /** `standing`: the operator's standing rules, which apply in addition to an agent's rules. */
  constructor(agents: readonly Agent[], change?: RuleChange, standing: readonly StandingRule[] = []) {
    this.#defined = new Map(agents.map((agent) => [agent.name, agent]));
    this.#change = change;
    this.#standing = standing;
  }

  /** Whether the agent is defined. For an undefined agent only the changed rules are known. */
  isDefined(name: string): boolean {
    return this.#defined.has(name);
  }

  of(name: string): CompiledAgent {
    const known = this.#compiled.get(name);
    if (known !== undefined) return known;
    const agent = new CompiledAgent(this.#agent(name), [recordedProtection]);
    this.#compiled.set(name, agent);
    return agent;
  }

  /** Leaves out everything that decides no call, so that none of it can run. */
  #agent(name: string): Agent {
    const {
      completion: _completion,
      sessionLabels: _labels,
      ...agent
    } = this.#defined.get(name) ?? fillAgent({ name });
    const silent = { ...agent, feedback: [], contributors: [] };
    const change = this.#change;
    if (change === undefined || (change.agent ?? name) !== name) return withStandingRules(silent, this.#standing).agent;
    const own = new Set(writtenIn(silent).flatMap(({ rules }) => rules.ruleSet.rules.map(({ id }) => id)));
    const known = new Set(this.#standing.map(({ id }) => id));
    const [ours, theirs] = [[] as Rule[], [] as Rule[]];
    for (const rule of change.ruleSet.rules) (known.has(rule.id) && !own.has(rule.id) ? theirs : ours).push(rule);
    const { actions } = change.ruleSet;
    const changed = changedRules(silent, { ...change, ruleSet: { actions, rules: ours } });
    return withStandingRules(changed, this.#standing, { actions, rules: theirs }).agent;
  }
}

function writtenIn({ policies }: Agent): readonly RulesPolicy[] {
  return rulesPoliciesOf(policies).filter(({ name }) => name !== STANDING_POLICY);
}

/** The given rules replace the agent's own in the same position: the first objection is reported first. */
function changedRules(agent: Agent, { how, ruleSet }: RuleChange): Agent {
  const written = writtenIn(agent);
  const own = written.map(({ rules }) => rules.ruleSet);
  const given = new Map(ruleSet.rules.map((rule) => [rule.id, rule]));
  const before = how === "add" ? own.flatMap(({ rules }) => rules) : [];
  const again = before.map((rule) => given.get(rule.id) ?? rule);
  const known = new Set(before.map(({ id }) => id));
  const rules = [...again, ...ruleSet.rules.filter(({ id }) => !known.has(id))];
  const actions = Object.assign({}, agent.actions, ...own.map((set) => set.actions), ruleSet.actions);
  const policy = new RulesPolicy({ actions, rules });
  const [first] = written;
  if (first === undefined) return { ...agent, actions, policies: [...agent.policies, policy] };
  const policies = agent.policies.flatMap((one) => {
    if (one === first) return [policy];
    return written.some((other) => other === one) ? [] : [one];
  });
  return { ...agent, actions, policies };
}

export function rulesPoliciesOf(policies: readonly AnyPolicy[]): readonly RulesPolicy[] {
  return policies.filter((policy) => policy instanceof RulesPolicy);
}
