import type { ContractScope, StandingRule } from "../../base/words/contract.ts";
import type { Agent, AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { Rule, RuleSet } from "../../base/words/rule.ts";
import { deny } from "../../behavior/policy/policy-decision.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { parseRules } from "../agent/rules/parse-rules.ts";
import { REPAIR_COMMAND } from "./governance-health.ts";
import { standingPlace } from "./standing-place.ts";

/** Name of the policy of all standing rules; its state survives when rules change. */
export const STANDING_POLICY = "standing-rules";

/** Parses the one rule of a text. Names that it does not declare are tools and actions of the agent. */
export function readStandingRule(
  text: string,
): { readonly rule: Rule; readonly ruleSet: RuleSet } | { readonly faults: readonly string[] } {
  const parsed = parseRules(text, "the rule");
  if ("faults" in parsed) {
    return {
      faults: parsed.faults.map(({ line, message, hint }) => `line ${line}: ${message}${hint ? ` (${hint})` : ""}`),
    };
  }
  const [rule, ...more] = parsed.ruleSet.rules;
  if (rule === undefined) return { faults: ["the text contains no rule"] };
  if (more.length > 0) return { faults: [`the text contains ${more.length + 1} rules; add them one at a time`] };
  return { rule, ruleSet: parsed.ruleSet };
}

/** Denies every call when the operator's rules are unknown. */
function closedPolicy(reason: string, next: string): AnyPolicy {
  const check = () => deny(reason, { code: "policy-error", next });
  return { name: "standing-rules-unreadable", initial: null, check };
}

/**
 * An agent whose operator's rules cannot be known: every call is denied. `damage` says what is wrong with the journal; without it the
 * store could not be read just now.
 */
export function withUnreadableRules(agent: Agent, damage?: string): Agent {
  const policy =
    damage === undefined
      ? closedPolicy(
          "The operator's rules could not be read, so every call is denied.",
          "Tell the person that Conduct's store cannot be read. Conduct tries again in the next turn.",
        )
      : closedPolicy(
          `The governance journal is damaged, so it is unknown which of the operator's rules are in force: ${damage}.`,
          `Stop, and tell the person that an operator must run \`${REPAIR_COMMAND}\` in a terminal.`,
        );
  return Object.freeze({ ...agent, policies: [...agent.policies, policy] });
}

/**
 * An agent with the standing rules that are for it. A text that can no longer be read is a fault; where that rule was enforced
 * nothing passes until it is removed or put right, and the others bind all the same. `instead`: rules that take the place of
 * standing ones by their ids; they hold where those did, and do what they say themselves, also where those are in shadow.
 */
export function withStandingRules(
  agent: Agent,
  standing: Iterable<StandingRule>,
  instead?: RuleSet,
): { readonly agent: Agent; readonly faults: readonly string[] } {
  const rules: Rule[] = [];
  const faults: string[] = [];
  const closed: AnyPolicy[] = [];
  let actions: RuleSet["actions"] = {};
  for (const one of standing) {
    const narrowed = conditionOf(one.scope, agent.name);
    if (narrowed === undefined) continue;
    const other = instead?.rules.find(({ id }) => id === one.id);
    if (other !== undefined) {
      actions = { ...actions, ...instead?.actions };
      rules.push(narrow(other, narrowed));
      continue;
    }
    const read = readStandingRule(one.text);
    if ("faults" in read) {
      faults.push(`rule '${one.id}': ${read.faults.join("; ")}`);
      if (one.status === "enforced" && closed.length === 0) {
        const reason = `The operator's rule '${one.id}' is enforced but cannot be read.`;
        closed.push(
          closedPolicy(reason, `Ask the operator to run conduct rules remove ${one.id}, or to update Conduct.`),
        );
      }
      continue;
    }
    actions = { ...actions, ...read.ruleSet.actions };
    const { rule } = read;
    const place = { file: standingPlace(one.id), line: rule.place?.line ?? 1 };
    const effect = one.status === "enforced" ? rule.effect : "shadow";
    rules.push(narrow({ ...rule, id: one.id, place, effect }, narrowed));
  }
  if (rules.length === 0 && closed.length === 0) return { agent, faults };
  // The agent's own meaning of an action wins over a rule's.
  const joined = { ...actions, ...agent.actions };
  const own = rules.length === 0 ? [] : [new RulesPolicy({ actions: joined, rules }, { name: STANDING_POLICY })];
  const policies = [...agent.policies, ...own, ...closed];
  return { agent: Object.freeze({ ...agent, actions: joined, policies }), faults };
}

/** The scope as an expression; empty when it always applies to this agent, `undefined` when it never does. */
function conditionOf(scope: ContractScope, agent: string): string | undefined {
  const [kind, ...rest] = scope.split(":");
  const name = rest.join(":");
  if (kind === "global") return "";
  if (kind === "agent") return name === agent ? "" : undefined;
  return `session.${kind} == ${JSON.stringify(name)}`;
}

function narrow({ when, ...rule }: Rule, condition: string): Rule {
  const both = [condition, when === undefined ? "" : `(${when})`].filter((part) => part !== "").join(" && ");
  return both === "" ? rule : { ...rule, when: both };
}
