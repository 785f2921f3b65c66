import { formatDuration } from "../../base/kernel/duration.ts";
import type { Agent } from "../../base/words/agent.ts";
import type { FeedbackTrigger } from "../../base/words/feedback.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import type { AgentConfig, PolicyConfig } from "../../engine/agent/config-schema.ts";
import { describeRule } from "../../engine/agent/rules/describe-rule.ts";
import type { Paint } from "./paint.ts";
import { count, oneLine, plural } from "./printable.ts";
import { summariseTold } from "./render-told.ts";

/** What an agent is bound to, in short, for people and programs. */
export function summariseAgent(agent: Agent, config: AgentConfig) {
  const ofSections = agent.sections.flatMap(({ heading, policies = [] }, section) =>
    policies.map(({ name }, at) => {
      const policy = config.sections?.[section]?.policies?.[at];
      return `${name}: ${policyText(policy)} (section ${heading})`;
    }),
  );
  return {
    name: agent.name,
    ...summariseTold(agent),
    sections: agent.sections.map(({ heading }) => heading),
    tools: agent.tools.map(({ name, risk }) => (risk === "high" ? `${name} (high risk)` : name)),
    // Those of rule files come with them.
    actions: Object.entries(config.actions ?? {}).map(([name, { tool, command }]) =>
      command === undefined ? `${name}: ${tool}` : `${name}: ${tool} "${command}"`,
    ),
    // In the order in which they are asked.
    policies: [
      ...ofSections,
      ...agent.policies.flatMap((policy, at) =>
        policy instanceof RulesPolicy ? [] : [`${policy.name}: ${policyText(config.policies?.[at])}`],
      ),
    ],
    rules: agent.policies.flatMap((policy) =>
      policy instanceof RulesPolicy
        ? policy.rules.ruleSet.rules.map((rule) => `${rule.id}: ${describeRule(rule)}`)
        : [],
    ),
    feedback: agent.feedback.map(({ provider, trigger }) => `${provider.name}: ${triggerText(trigger)}`),
    completion: completionTexts(config.completion ?? {}),
    limits: Object.entries(agent.limits).map(([name, value]) => `${name}: ${limitText(name, value)}`),
    trustedTools: agent.trustedTools.map(({ server, tool }) => (server === undefined ? tool : `${server}/${tool}`)),
  };
}

/** The good news of `conduct config check`. */
export function renderAgents(
  file: string,
  agents: readonly ReturnType<typeof summariseAgent>[],
  channels: readonly string[],
  warnings: number,
  paint: Paint,
): string {
  const ways = channels.length === 0 ? "" : `, ${plural(channels.length, "channel")} (${channels.join(", ")})`;
  const also = `${ways}${warnings === 0 ? "" : `, ${plural(warnings, "warning")}`}`;
  const head = `  ${paint("green", `✓ ${file}`)}  ${plural(agents.length, "agent")}${also}\n`;
  return [head, ...agents.map((agent) => renderAgent(agent, paint))].join("\n");
}

function renderAgent({ name, ...parts }: ReturnType<typeof summariseAgent>, paint: Paint): string {
  const rows = Object.entries(parts).flatMap(([key, items]) => {
    const label = key === "trustedTools" ? "trusted" : key;
    return items.map((item, at) => `    ${paint("dim", (at === 0 ? label : "").padEnd(12))} ${oneLine(item)}`);
  });
  return `${[`  ${paint("bold", name)}`, ...(rows.length === 0 ? ["    bound to nothing"] : rows)].join("\n")}\n`;
}

function policyText(policy: PolicyConfig | undefined): string {
  if (policy?.sequential !== undefined) {
    const needs = Object.entries(policy.sequential).map(([name, before]) => `${name} needs ${before.join(", ")}`);
    return needs.join("; ");
  }
  const { readTools = ["read_file"], writeTools = ["write_file", "edit_file"] } = policy?.readBeforeWrite ?? {};
  return `${writeTools.join(", ")} only after ${readTools.join(" or ")} of the same file`;
}

function completionTexts({ files, evidence, command, any }: NonNullable<AgentConfig["completion"]>): readonly string[] {
  const run = typeof command === "object" ? command.run : command;
  const parts = [
    ...(files === undefined ? [] : [`${files.join(", ")} must exist`]),
    ...(evidence === undefined ? [] : [`${evidence.join(", ")} must have succeeded`]),
    ...(run === undefined ? [] : [`"${run}" must exit with 0`]),
  ];
  return any === true && parts.length > 1 ? [parts.join(", or ")] : parts;
}

function triggerText({ everyNCalls, everyNSeconds, onFileCreated }: FeedbackTrigger): string {
  const when = [
    ...(everyNCalls === undefined
      ? []
      : [everyNCalls === 1 ? "after every call" : `every ${count(everyNCalls)} calls`]),
    ...(everyNSeconds === undefined ? [] : [`every ${count(everyNSeconds)} s`]),
    ...(onFileCreated === undefined ? [] : [`when ${onFileCreated.filename} appears`]),
  ];
  return when.join(" or ");
}

function limitText(name: string, value: number): string {
  if (name === "deadline" || name === "time" || name.endsWith("Ms")) {
    return value < 1_000 ? `${value} ms` : formatDuration(value);
  }
  return name.endsWith("Share") ? `${Math.round(value * 100)} %` : count(value);
}
