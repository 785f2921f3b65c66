import { type AgentConfig, agentSchema, type ConfigFile } from "./config-schema.ts";

/** The parts of a faulty file that have the right form, so that what is wrong with their sense is told in the same go. */
export function soundParts(content: unknown): ConfigFile["agents"] {
  const agents = entries(entries(content).find(([name]) => name === "agents")?.[1]);
  return Object.fromEntries(agents.map(([name, agent]) => [name, soundKeys(agent)]));
}

function soundKeys(agent: unknown): AgentConfig {
  const sound = entries(agent).flatMap(([key, value]) => {
    const schema = Object.hasOwn(agentSchema.shape, key) ? agentSchema.shape[key as keyof AgentConfig] : undefined;
    const read = schema?.safeParse(value);
    return read?.success === true ? [[key, read.data]] : [];
  });
  return Object.fromEntries(sound);
}

function entries(value: unknown): readonly [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
