import { formatDuration } from "../../base/kernel/duration.ts";
import { assertNever } from "../../base/kernel/error-text.ts";
import type { Agent } from "../../base/words/hosting/agent.ts";
import type { CallLeaf, Condition, Rule } from "../../base/words/rule.ts";
import { SequentialDependencyPolicy } from "./builtin/sequential-dependency-policy.ts";
import { RulesPolicy } from "./rules/rules-policy.ts";

type NameOf = (tool: string) => string;

/**
 * The order that is enforced, one line each (`deploy: only after test, build`), from tool prerequisites, sequential
 * dependencies and rules. Shadow rules are left out.
 */
export function renderPrerequisites(
  agent: Pick<Agent, "tools" | "policies" | "sections">,
  nameOf: NameOf = (tool) => tool,
): readonly string[] {
  const policies = [...agent.sections.flatMap(({ policies = [] }) => policies), ...agent.policies];
  const lines = [
    ...agent.tools.flatMap(({ name, prerequisites = [] }) => afterAll(name, prerequisites, nameOf)),
    ...policies.flatMap((policy) => {
      if (policy instanceof SequentialDependencyPolicy)
        return [...policy.dependencies].flatMap(([name, needs]) => afterAll(name, needs, nameOf));
      return policy instanceof RulesPolicy ? policy.rules.ruleSet.rules.flatMap((rule) => ruleLines(rule, nameOf)) : [];
    }),
  ];
  return [...new Set(lines)];
}

function afterAll(name: string, needs: readonly string[], nameOf: NameOf): readonly string[] {
  return needs.length === 0 ? [] : [`${nameOf(name)}: only after ${names(needs, nameOf)}`];
}

/** The rule's own sentence, if it has one. Expressions are left out: they are written for Conduct, not for the model. */
function ruleLines({ on, require: condition, effect, when, unless, say }: Rule, nameOf: NameOf): readonly string[] {
  if (condition === undefined || effect === "shadow") return [];
  const isAsk = effect === "ask";
  if (say !== undefined) return [`${names(on, nameOf)}: ${generalSay(say)}${isAsk ? " A person is asked." : ""}`];
  const soft = effect === "warn" || effect === "remind";
  const bounded = when === undefined && unless === undefined ? "" : "in some cases ";
  const after = condition.kind === "not" ? "if" : "after";
  const asks = isAsk ? ", or a person is asked" : "";
  return [
    `${names(on, nameOf)}: ${bounded}${soft ? "better" : "only"} ${after} ${conditionText(condition, nameOf)}${asks}`,
  ];
}

/** The sentence without the values of a call. */
function generalSay(say: string): string {
  return say.replace(/\{\{\s*(?:args|repo)\.([\w-]+)\s*\}\}/g, (_, name: string) =>
    name === "path" ? "the file" : `the ${name}`,
  );
}

/** `inner`: part of a larger condition, so a list needs brackets. */
function conditionText(condition: Condition, nameOf: NameOf, inner = false): string {
  switch (condition.kind) {
    case "all":
    case "any": {
      const [only, ...more] = condition.of;
      if (only !== undefined && more.length === 0) return conditionText(only, nameOf, inner);
      const text = condition.of
        .map((one) => conditionText(one, nameOf, true))
        .join(condition.kind === "all" ? ", " : " or ");
      return inner ? `(${text})` : text;
    }
    case "not":
      return `not ${conditionText(condition.of, nameOf, true)}`;
    case "call":
      return leafText(condition, nameOf);
    default:
      return assertNever(condition);
  }
}

function leafText({ call, same, fresh, within, since }: CallLeaf, nameOf: NameOf): string {
  const equal = same.map(({ mine, theirs }) => (mine === theirs ? mine : `${theirs} = ${mine}`));
  const bounds = [
    equal.length > 0 && `same ${equal.join(", ")}`,
    fresh && "unchanged since",
    within !== undefined && `within ${formatDuration(within)}`,
    since !== undefined && `since the last ${nameOf(since)}`,
  ].filter((bound) => bound !== false);
  return bounds.length === 0 ? nameOf(call) : `${nameOf(call)} [${bounds.join(", ")}]`;
}

/** Several tools of our vocabulary may be one tool in the runtime. */
function names(tools: readonly string[], nameOf: NameOf): string {
  return [...new Set(tools.map(nameOf))].join(", ");
}
