import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import * as ai from "ai";
import { conductAiSdk } from "../../src/edge/adapters/ai-sdk/adapter.ts";
import { aiSdkCapabilities } from "../../src/edge/adapters/capabilities.ts";
import type { RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { type AgentPlace, type FrameworkAgent, type FrameworkTool, frameworkDriver } from "../framework-driver.ts";

/** The three ways to run an agent, over two wire formats. */
export type AiSdkWay = "generateText" | "streamText" | "ToolLoopAgent";

export function aiSdkDriver(way: AiSdkWay = "generateText"): RuntimeDriver {
  return frameworkDriver({
    name: `ai ${way}`,
    capabilities: aiSdkCapabilities,
    build: (place) => buildAgent(place, way),
    summary: { role: "user", content: "(What was said before: they talked.)" },
  });
}

function buildAgent({ session, server, model: id, tools: given, options }: AgentPlace, way: AiSdkWay): FrameworkAgent {
  const model =
    way === "streamText"
      ? createOpenAI({ baseURL: server.openaiUrl, apiKey: "none" }).responses(id)
      : createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "none" })(id);
  const guard = conductAiSdk(session, { ...options, sdk: ai });
  const tools = toolSet(given);
  const agent: FrameworkAgent = {
    history: [],
    message: (text) => guard.message(text),
    async run(text) {
      const messages = [...(agent.history as ai.ModelMessage[]), { role: "user" as const, content: text }];
      const retries = { maxRetries: 0 };
      if (way === "ToolLoopAgent") {
        const loop = new ai.ToolLoopAgent(
          await guard.settings({ model, tools, stopWhen: ai.isStepCount(40), ...retries }),
        );
        const made = await loop.generate({ messages, ...(await guard.generation()) });
        agent.history = [...messages, ...made.responseMessages];
        return made.text;
      }
      const settings = await guard.settings({ model, tools, messages, ...retries });
      const made = way === "generateText" ? await ai.generateText(settings) : ai.streamText(settings);
      const answer = await made.text;
      agent.history = [...messages, ...(await made.responseMessages)];
      return answer;
    },
  };
  return agent;
}

function toolSet(tools: readonly FrameworkTool[]): ai.ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema, run }) => [
      name,
      ai.tool({
        description,
        inputSchema: ai.jsonSchema<Record<string, string>>({ ...schema } as never),
        execute: (input) => run(input),
      }),
    ]),
  );
}
