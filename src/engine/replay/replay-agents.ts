import { isObject } from "../../base/kernel/json.ts";
import type { Agent, AnyPolicy } from "../../base/words/agent.ts";
import type { StandingRule } from "../../base/words/contract.ts";
import type { ToolPolicy } from "../../base/words/policy.ts";
import type { RuleSet } from "../../base/words/rule.ts";
import { allow, deny } from "../../behavior/policy/policy-decision.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { CompiledAgent } from "../agent/compiled-agent.ts";
import { fillAgent } from "../agent/define-agent.ts";
import { STANDING_POLICY, withStandingRules } from "../governance/standing-rules.ts";

export const PROTECTED_PATHS = "builtin:protected-paths";

/**
 * What was protected depends on the machine and on nothing else: the recorded answer is the answer. It comes with the facts.
 */
const recordedProtection: ToolPolicy = {
  name: PROTECTED_PATHS,
  check(_call, { facts }) {
    const known = facts.policies[PROTECTED_PATHS];
    if (!isObject(known)) return allow();
    const reason = String(known.reason);
    return deny(reason, { code: "protected-path", next: String(known.next), key: reason });
  },
};

/** What changes in an agent's rules: `replace` leaves none of its own, `add` keeps all but those whose ids are given again. */
export type RuleChange = { readonly how: "replace" | "add"; readonly ruleSet: RuleSet };

/** The agents that a replay decides by: as they are defined now, with other rules where these are told. */
export class ReplayAgents {
  readonly #defined: ReadonlyMap<string, Agent>;
  readonly #change: RuleChange | undefined;
  readonly #standing: readonly StandingRule[];
  readonly #compiled = new Map<string, CompiledAgent>();

  /** `standing`: the operator's standing rules, which bind beside whatever rules an agent has. */
  constructor(agents: readonly Agent[], change?: RuleChange, standing: readonly StandingRule[] = []) {
    this.#defined = new Map(agents.map((agent) => [agent.name, agent]));
    this.#change = change;
    this.#standing = standing;
  }

  /** Is there a definition of it? Of an agent without one only the changed rules are known. */
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

  /** Without all that decides on no call: nothing of it may run. */
  #agent(name: string): Agent {
    const {
      completion: _completion,
      sessionLabels: _labels,
      ...agent
    } = this.#defined.get(name) ?? fillAgent({ name });
    const silent = { ...agent, feedback: [], contributors: [] };
    const changed = this.#change === undefined ? silent : changedRules(silent, this.#change);
    return withStandingRules(changed, this.#standing).agent;
  }
}

function changedRules(agent: Agent, { how, ruleSet }: RuleChange): Agent {
  const written = rulesPoliciesOf(agent.policies).filter(({ name }) => name !== STANDING_POLICY);
  const kept = agent.policies.filter((policy) => !written.some((one) => one === policy));
  const own = written.map(({ rules }) => rules.ruleSet);
  const given = new Set(ruleSet.rules.map(({ id }) => id));
  const before = how === "add" ? own.flatMap(({ rules }) => rules).filter(({ id }) => !given.has(id)) : [];
  const actions = Object.assign({}, agent.actions, ...own.map((set) => set.actions), ruleSet.actions);
  return { ...agent, actions, policies: [...kept, new RulesPolicy({ actions, rules: [...before, ...ruleSet.rules] })] };
}

/** The policies that rules are in. */
export function rulesPoliciesOf(policies: readonly AnyPolicy[]): readonly RulesPolicy[] {
  return policies.filter((policy) => policy instanceof RulesPolicy);
}
