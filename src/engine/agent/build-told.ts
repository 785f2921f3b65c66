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
    ...(soul === undefined ? {} : { soul: soul.value }),
    ...(model === undefined ? {} : { model: model.value }),
    ...(memory === undefined ? {} : { memory: memory.value }),
    ...(elevation === undefined ? {} : { elevation: elevation.value }),
    ...(network === undefined ? {} : { network: network.value }),
    ...(enabled === undefined ? {} : { sessionLabels: { enabled, ...labels } }),
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
