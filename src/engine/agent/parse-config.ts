import type { Agent } from "../../base/words/agent.ts";
import { agentRules, type RuleFiles } from "./agent-rules.ts";
import { buildAgent } from "./build-agent.ts";
import { type Complaint, type ConfigFault, sortFaults } from "./config-fault.ts";
import { configForm } from "./config-form.ts";
import type { AgentConfig, ConfigFile } from "./config-schema.ts";
import { senseComplaints } from "./config-sense.ts";
import { ConfigSource } from "./config-source.ts";
import { configWarnings } from "./config-warnings.ts";
import { mergeDefaults, type PlacedAgent, withoutPlaces } from "./merge-defaults.ts";
import { readForm, withoutOffset } from "./read-form.ts";
import { soundParts } from "./sound-parts.ts";

/** Agents that can be used, or everything that keeps them from it. Warnings keep nothing from working. */
export type ParsedConfig =
  | {
      readonly agents: readonly Agent[];
      /** What each agent was made from, the defaults merged in: for whoever wants to show it. */
      readonly configs: readonly AgentConfig[];
      readonly warnings: readonly ConfigFault[];
    }
  | { readonly faults: readonly ConfigFault[] };

/** Reads the text of a conduct.yaml; `file` is only what faults call it, `ruleFiles` what its `rules` name. */
export function parseConfig(text: string, file: string, ruleFiles: RuleFiles = new Map()): ParsedConfig {
  const source = new ConfigSource(text.replace(/^\uFEFF/, ""), file);
  const read = readForm(source, configForm);
  if (read.kind === "broken") return { faults: sortFaults(read.faults) };
  const locate = (one: Complaint) => withoutOffset(source.locate(one));
  const configs = mergeAll(read.data?.agents ?? soundParts(source.value));
  const rules = configs.map((config) => agentRules(config, ruleFiles, file, locate));
  const built = configs.map((config, at) => buildAgent(config, rules[at]?.ruleSet));
  const complaints = [
    ...read.complaints,
    ...(read.data !== undefined && configs.length === 0 ? [NO_AGENTS] : []),
    ...configs.flatMap(senseComplaints),
    ...built.flatMap((one) => one.complaints),
  ];
  const faults = [...complaints.map(locate), ...rules.flatMap((one) => one.faults)];
  if (faults.length > 0) return { faults: sortFaults(faults) };
  const warnings = configs.flatMap((config, at) => [
    ...configWarnings(config, Object.keys(rules[at]?.ruleSet?.actions ?? {})).map(locate),
    ...(rules[at]?.warnings ?? []),
  ]);
  return {
    agents: built.map(({ agent }) => agent),
    configs: configs.map(withoutPlaces),
    warnings: sortFaults(warnings),
  };
}

/** The rule files that a conduct.yaml names, as it names them; empty when the text cannot be read. */
export function ruleReferences(text: string): readonly string[] {
  const { value } = new ConfigSource(text.replace(/^\uFEFF/, ""), "");
  const lists = Object.values(soundParts(value)).map((agent) => agent?.rules ?? []);
  return [...new Set(lists.flat().filter((item) => typeof item === "string"))];
}

const NO_AGENTS: Complaint = {
  path: ["agents"],
  at: "value",
  message: "'agents' names no agent",
  hint: "add one: its name, and under it tools, policies, feedback, completion, limits ('defaults' is no agent)",
};

function mergeAll(agents: ConfigFile["agents"]): readonly PlacedAgent[] {
  const { defaults, ...own } = agents;
  return Object.entries(own).map(([name, agent]) => mergeDefaults(name, agent ?? {}, defaults ?? {}));
}
