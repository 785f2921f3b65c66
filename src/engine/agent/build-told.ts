import type { PromptSettings } from "../../base/words/agent.ts";
import { buildContributor } from "./build-contributor.ts";
import type { AgentInput } from "./define-agent.ts";
import type { PlacedAgent } from "./merge-defaults.ts";
import type { PromptConfig } from "./told-schema.ts";

type Told = Omit<AgentInput, "name" | "sections" | "tools" | "policies" | "feedback" | "completion" | "limits">;

/** What an agent is told, as the file describes it; the files that hold parts of it have been read. */
export function buildTold(config: PlacedAgent): Told {
  const { soul, model, memory, elevation, network, sessionLabels, identity, checkpoints } = config;
  const { enabled, ...labels } = sessionLabels.value;
  return {
    soul: soul === undefined ? undefined : soul.value,
    model: model === undefined ? undefined : model.value,
    memory: memory === undefined ? undefined : memory.value,
    elevation: elevation === undefined ? undefined : elevation.value,
    network: network === undefined ? undefined : network.value,
    sessionLabels: enabled === undefined ? undefined : { enabled, ...labels },
    ...(isEmpty(identity.value) ? {} : { identity: identity.value }),
    ...(isEmpty(checkpoints.value) ? {} : { checkpoints: checkpoints.value }),
    contributors: config.promptContributors.map(({ value }) => buildContributor(value)),
    prompt: buildPrompt(config.prompt.value),
  };
}

function buildPrompt({ skills, docs, ...rest }: PromptConfig): PromptSettings {
  return {
    ...rest,
    ...(skills === undefined ? {} : { skills: skills.filter((skill) => typeof skill !== "string") }),
    ...(docs === undefined ? {} : { docs: docs.map((doc) => (typeof doc === "string" ? { path: doc } : doc)) }),
  };
}

function isEmpty(map: object): boolean {
  return Object.keys(map).length === 0;
}
