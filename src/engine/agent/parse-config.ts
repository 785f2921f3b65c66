import type { Agent } from "../../base/words/agent.ts";
import { buildAgent } from "./build-agent.ts";
import { type Complaint, type ConfigFault, sortFaults } from "./config-fault.ts";
import { type AgentConfig, type ConfigFile, configSchema } from "./config-schema.ts";
import { senseComplaints } from "./config-sense.ts";
import { ConfigSource, type Located } from "./config-source.ts";
import { configWarnings } from "./config-warnings.ts";
import { mergeDefaults, type PlacedAgent, withoutPlaces } from "./merge-defaults.ts";
import { schemaComplaints } from "./schema-complaints.ts";
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

/** Reads the text of a conduct.yaml; `file` is only what faults call it. */
export function parseConfig(text: string, file: string): ParsedConfig {
  const source = new ConfigSource(text.replace(/^\uFEFF/, ""), file);
  if (!source.readable) return { faults: sortFaults(source.faults) };
  const read = configSchema.safeParse(source.value);
  const ofSchema = read.success ? [] : schemaComplaints(read.error, source.value);
  if (source.faults.length > 0) {
    // What the text says up to its first slip is reliable, and so are the faults in it; what seems missing may follow later.
    const found = ofSchema
      .filter(({ message }) => !/ is (missing|empty)$/.test(message))
      .map((one) => source.locate(one));
    const sure = found.filter(({ offset }) => offset < source.reliableTo);
    return { faults: sortFaults([...source.faults, ...sure.map(withoutOffset)]) };
  }
  const configs = mergeAll(read.success ? read.data.agents : soundParts(source.value));
  const built = configs.map(buildAgent);
  const complaints = [
    ...ofSchema,
    ...(read.success && configs.length === 0 ? [NO_AGENTS] : []),
    ...configs.flatMap(senseComplaints),
    ...built.flatMap((one) => one.complaints),
  ];
  const located = (all: readonly Complaint[]) => sortFaults(all.map((one) => withoutOffset(source.locate(one))));
  if (complaints.length > 0) return { faults: located(complaints) };
  return {
    agents: built.map(({ agent }) => agent),
    configs: configs.map(withoutPlaces),
    warnings: located(configs.flatMap(configWarnings)),
  };
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

function withoutOffset({ offset: _, ...fault }: Located): ConfigFault {
  return fault;
}
