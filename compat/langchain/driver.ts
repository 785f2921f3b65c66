import {
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import * as langchain from "langchain";
import { langChainCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { conductLangChain } from "../../src/edge/adapters/langchain/adapter.ts";
import type { RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { type AgentPlace, type FrameworkAgent, type FrameworkTool, frameworkDriver } from "../framework-driver.ts";

/** `createAgent` of LangChain with Conduct's middleware. */
export function langChainDriver(): RuntimeDriver {
  return frameworkDriver({
    name: "langchain createAgent",
    capabilities: langChainCapabilities,
    build: buildAgent,
    summary: mapChatMessagesToStoredMessages([new langchain.HumanMessage("(What was said before: they talked.)")])[0],
  });
}

async function buildAgent({ session, server, model, tools, options }: AgentPlace): Promise<FrameworkAgent> {
  const guard = await conductLangChain(session, { ...options, sdk: langchain });
  const chat = new ChatOpenAI({
    model,
    apiKey: "none",
    maxRetries: 0,
    useResponsesApi: true,
    configuration: { baseURL: server.openaiUrl },
  });
  const built = langchain.createAgent({
    model: chat,
    tools: tools.map(langChainTool),
    middleware: [guard.middleware],
  });
  const agent: FrameworkAgent = {
    history: [],
    message: (text) => guard.message(text),
    async run(text) {
      const before = mapStoredMessagesToChatMessages(agent.history as never);
      const messages: BaseMessage[] = [...before, new langchain.HumanMessage(text)];
      const result = await built.invoke({ messages }, { recursionLimit: 200 });
      agent.history = mapChatMessagesToStoredMessages(result.messages);
      return result.messages.at(-1)?.text ?? "";
    },
  };
  return agent;
}

function langChainTool({ name, description, schema, run }: FrameworkTool) {
  return langchain.tool(async (input: unknown) => run(input as never), { name, description, schema: schema as never });
}
