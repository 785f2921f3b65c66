import { assertNever } from "../../base/kernel/assert-never.ts";
import { formatDuration } from "../../base/kernel/duration.ts";
import type { Agent } from "../../base/words/agent.ts";
import type { CallLeaf, Condition, Rule } from "../../base/words/rule.ts";
import { RulesPolicy } from "./rules/rules-policy.ts";
import { SequentialDependencyPolicy } from "./sequential-dependency-policy.ts";

/**
 * What has to come before what, a line each (`deploy: only after test, build`), for the agent to know before it is denied.
 * From the tools' own prerequisites, sequential dependencies and rules; rules in shadow are not told.
 */
export function renderPrerequisites(agent: Pick<Agent, "tools" | "policies" | "sections">): readonly string[] {
  const policies = [...agent.sections.flatMap(({ policies = [] }) => policies), ...agent.policies];
  const lines = [
    ...agent.tools.flatMap(({ name, prerequisites = [] }) => afterAll(name, prerequisites)),
    ...policies.flatMap((policy) => {
      if (policy instanceof SequentialDependencyPolicy)
        return [...policy.dependencies].flatMap(([name, needs]) => afterAll(name, needs));
      return policy instanceof RulesPolicy ? policy.rules.ruleSet.rules.flatMap(ruleLines) : [];
    }),
  ];
  return [...new Set(lines)];
}

function afterAll(name: string, needs: readonly string[]): readonly string[] {
  return needs.length === 0 ? [] : [`${name}: only after ${needs.join(", ")}`];
}

function ruleLines({ on, require: condition, effect, when, unless }: Rule): readonly string[] {
  if (condition === undefined || effect === "shadow") return [];
  const soft = effect === "warn" || effect === "remind";
  const asks = effect === "ask" ? ", or a person is asked" : "";
  const bounds = [
    ...(when === undefined ? [] : [`when ${when}`]),
    ...(unless === undefined ? [] : [`unless ${unless}`]),
  ];
  const where = bounds.length === 0 ? "" : ` (${bounds.join(", ")})`;
  return [`${on.join(", ")}: ${soft ? "better" : "only"} ${afterText(condition)}${asks}${where}`];
}

function afterText(condition: Condition): string {
  return condition.kind === "not" ? `if not ${conditionText(condition.of, true)}` : `after ${conditionText(condition)}`;
}

/** `inner`: part of a larger one, so that a list needs brackets. */
function conditionText(condition: Condition, inner = false): string {
  switch (condition.kind) {
    case "all":
    case "any": {
      const [only, ...more] = condition.of;
      if (only !== undefined && more.length === 0) return conditionText(only, inner);
      const text = condition.of.map((one) => conditionText(one, true)).join(condition.kind === "all" ? ", " : " or ");
      return inner ? `(${text})` : text;
    }
    case "not":
      return `not ${conditionText(condition.of, true)}`;
    case "call":
      return leafText(condition);
    default:
      return assertNever(condition);
  }
}

function leafText({ call, same, fresh, within, since }: CallLeaf): string {
  const equal = same.map(({ mine, theirs }) => (mine === theirs ? mine : `${theirs} = ${mine}`));
  const bounds = [
    ...(equal.length === 0 ? [] : [`same ${equal.join(", ")}`]),
    ...(fresh ? ["unchanged since"] : []),
    ...(within === undefined ? [] : [`within ${formatDuration(within)}`]),
    ...(since === undefined ? [] : [`since the last ${since}`]),
  ];
  return bounds.length === 0 ? call : `${call} [${bounds.join(", ")}]`;
}
