import { formatDuration } from "../../base/kernel/duration.ts";
import type { Agent } from "../../base/words/agent.ts";
import type { FeedbackTrigger } from "../../base/words/feedback.ts";
import type { Paint } from "./paint.ts";
import { count, plural } from "./printable.ts";

/** What an agent is bound to, in short, for people and programs. */
export function summariseAgent(agent: Agent) {
  return {
    name: agent.name,
    sections: agent.sections.map(({ heading }) => heading),
    tools: agent.tools.map(({ name, risk }) => (risk === "high" ? `${name} (high risk)` : name)),
    actions: Object.entries(agent.actions).map(([name, { tool, command }]) =>
      command === undefined ? `${name} = ${tool}` : `${name} = ${tool} "${command}"`,
    ),
    // In the order in which they are asked.
    policies: [
      ...agent.sections.flatMap(({ heading, policies = [] }) => policies.map(({ name }) => `${name} (${heading})`)),
      ...agent.policies.map(({ name }) => name),
    ],
    feedback: agent.feedback.map(({ provider, trigger }) => `${provider.name} ${triggerText(trigger)}`),
    completion: agent.completion === undefined ? "not checked" : "checked before a stop",
    limits: Object.entries(agent.limits).map(([name, value]) => `${name} ${limitText(name, value)}`),
    trustedTools: agent.trustedTools.map(({ server, tool }) => (server === undefined ? tool : `${server}/${tool}`)),
  };
}

/** The good news of `conduct config check`. */
export function renderAgents(file: string, agents: readonly Agent[], warnings: number, paint: Paint): string {
  const also = warnings === 0 ? "" : `, ${plural(warnings, "warning")}`;
  const head = `  ${paint("green", `✓ ${file}`)}  ${plural(agents.length, "agent")}${also}\n`;
  return [head, ...agents.map((agent) => renderAgent(agent, paint))].join("\n");
}

function renderAgent(agent: Agent, paint: Paint): string {
  const { name, ...parts } = summariseAgent(agent);
  const rows = Object.entries(parts).flatMap(([key, value]) => {
    const items = typeof value === "string" ? [value] : value;
    const label = key === "trustedTools" ? "trusted" : key;
    return items.map((item, at) => `    ${paint("dim", (at === 0 ? label : "").padEnd(11))} ${item}`);
  });
  return `  ${paint("bold", name)}\n${rows.join("\n")}\n`;
}

function triggerText({ everyNCalls, everyNSeconds, onFileCreated }: FeedbackTrigger): string {
  const when = [
    ...(everyNCalls === undefined ? [] : [`every ${plural(everyNCalls, "call")}`]),
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
