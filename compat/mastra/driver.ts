import { createOpenAI } from "@ai-sdk/openai";
import { Agent, type AgentConfig } from "@mastra/core/agent";
import * as sdk from "@mastra/core/tools";
import { mastraCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { conductMastra } from "../../src/edge/adapters/mastra/adapter.ts";
import type { RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { type AgentPlace, type FrameworkAgent, type FrameworkTool, frameworkDriver } from "../framework-driver.ts";

/** The two ways to run an agent. */
export type MastraWay = "generate" | "stream";

/** An `Agent` of Mastra with Conduct's processor and hooks. */
export function mastraDriver(way: MastraWay = "generate"): RuntimeDriver {
  return frameworkDriver({
    name: `mastra ${way}`,
    capabilities: mastraCapabilities,
    build: (place) => buildAgent(place, way),
    summary: { role: "user", content: "(What was said before: they talked.)" },
  });
}

async function buildAgent({ session, server, model, tools, options }: AgentPlace, way: MastraWay) {
  const guard = await conductMastra(session, { ...options, sdk });
  const settings: AgentConfig = {
    id: "kit",
    name: "kit",
    instructions: "You are tested.",
    model: createOpenAI({ baseURL: server.openaiUrl, apiKey: "none" }).responses(model) as never,
    maxRetries: 0,
    tools: Object.fromEntries(tools.map((tool) => [tool.name, mastraTool(tool)])) as never,
  };
  const built = new Agent(guard.agent(settings));
  const agent: FrameworkAgent = {
    history: [],
    message: (text) => guard.message(text),
    async run(text) {
      const messages = [...agent.history, { role: "user" as const, content: text }];
      const settings = { maxSteps: 200 };
      const made = await (way === "generate"
        ? built.generate(messages as never, settings)
        : built.stream(messages as never, settings));
      if (way === "stream") await (made as { consumeStream(): Promise<void> }).consumeStream();
      const answer = await made.text;
      const { messages: said } = (await made.response) as { messages?: unknown[] };
      agent.history = [...messages, ...(said ?? [])];
      return answer;
    },
  };
  return agent;
}

function mastraTool({ name, description, schema, run }: FrameworkTool) {
  return sdk.createTool({
    id: name,
    description,
    inputSchema: schema as never,
    execute: async (input: unknown) => run(input as never),
  });
}
