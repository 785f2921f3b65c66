import * as agents from "@openai/agents";
import { openAiAgentsCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { conductAgents } from "../../src/edge/adapters/openai-agents/adapter.ts";
import type { RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { type AgentPlace, type FrameworkAgent, type FrameworkTool, frameworkDriver } from "../framework-driver.ts";

agents.setTracingDisabled(true);

/** The OpenAI Agents SDK over its two wire formats. */
export function openAiAgentsDriver(wire: "responses" | "chat" = "responses"): RuntimeDriver {
  return frameworkDriver({
    name: `openai-agents over ${wire}`,
    capabilities: openAiAgentsCapabilities,
    build: (place) => buildAgent(place, wire),
    summary: { role: "user", content: "(What was said before: they talked.)" },
  });
}

async function buildAgent(
  { session, server, model: id, tools, options }: AgentPlace,
  wire: "responses" | "chat",
): Promise<FrameworkAgent> {
  const provider = new agents.OpenAIProvider({
    baseURL: server.openaiUrl,
    apiKey: "none",
    useResponses: wire === "responses",
  });
  const guard = conductAgents(session, { ...options, sdk: agents });
  const model = await provider.getModel(id);
  const guarded = await guard.agent(new agents.Agent({ name: "kit", model, tools: tools.map(agentsTool) }));
  const agent: FrameworkAgent = {
    history: [],
    message: (text) => guard.message(text),
    async run(text) {
      const input = [...agent.history, { role: "user", content: text }];
      const result = await guard.run(guarded, input, { maxTurns: 40 });
      agent.history = result.history;
      return String(result.finalOutput);
    },
  };
  return agent;
}

/** The SDK's own error text does not show what went wrong, so tools report their failures. */
function agentsTool({ name, description, schema, run }: FrameworkTool): agents.Tool {
  return agents.tool({
    name,
    description,
    strict: false,
    parameters: { ...schema, additionalProperties: true } as never,
    execute: async (input) => {
      try {
        return await run(input as never);
      } catch (error) {
        const { message, exitCode = 1 } = error as Error & { exitCode?: number };
        return { exitCode, output: message };
      }
    },
  });
}
