import { AIMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import * as langchain from "langchain";
import { afterEach, expect, it } from "vitest";
import { conductLangChain } from "../../src/edge/adapters/langchain/adapter.ts";
import type { AgentInput } from "../../src/engine/agent/define-agent.ts";
import { testConduct } from "../../src/engine/session/test/test-conduct.ts";
import { type ModelServer, type ScriptedMessage, startModelServer } from "../../src/testing/test/model-server/index.ts";

const servers: ModelServer[] = [];
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))));

async function modelOf(...script: ScriptedMessage[]) {
  const server = await startModelServer({ script });
  servers.push(server);
  const configuration = { baseURL: server.openaiUrl };
  return {
    server,
    model: new ChatOpenAI({
      model: "gpt-5-scripted",
      apiKey: "none",
      maxRetries: 0,
      useResponsesApi: true,
      configuration,
    }),
  };
}

const noPay: Partial<AgentInput> = {
  policies: [
    {
      name: "no-pay",
      check: ({ tool }) =>
        tool === "pay" ? { kind: "deny", reason: "Not today.", missing: [], next: "Wait." } : { kind: "allow" },
    },
  ],
};
const toolOf = (name: string, run: () => unknown) =>
  langchain.tool(async () => run(), { name, description: name, schema: { type: "object", properties: {} } as never });
const calls = (...names: string[]): ScriptedMessage => ({
  calls: names.map((name, at) => ({ id: `c${at + 1}`, name, input: {} })),
});
const human = (text: string) => ({ messages: [new langchain.HumanMessage(text)] });

it("LCH-1 a denied call returns the reason, and its sibling in the same response runs", async () => {
  const { model, server } = await modelOf(calls("pay", "look"), { text: "Sorry." });
  const ran: string[] = [];
  const guard = await conductLangChain(testConduct(noPay).open(), { sdk: langchain });
  const tools = [toolOf("pay", () => ran.push("pay")), toolOf("look", () => ran.push("look"))];
  const agent = langchain.createAgent({ model, tools, middleware: [guard.middleware] });
  expect((await agent.invoke(human("pay"))).messages.at(-1)?.text).toBe("Sorry.");
  expect(ran).toEqual(["look"]);
  expect(server.requests[1]?.results[0]?.text).toContain("Denied by no-pay: Not today.");
});

it("LCH-2 a tool that throws has failed, the model reads why, and the run goes on", async () => {
  const { model, server } = await modelOf(calls("look"), { text: "Done." });
  const { open, events } = testConduct();
  const guard = await conductLangChain(open(), { sdk: langchain });
  const fail = () => {
    throw new Error("boom");
  };
  const agent = langchain.createAgent({ model, tools: [toolOf("look", fail)], middleware: [guard.middleware] });
  await agent.invoke(human("look"));
  expect(events.flatMap((event) => (event.type === "result" ? [event.outcome] : []))).toEqual(["failed"]);
  expect(server.requests[1]?.results[0]?.text).toContain("boom");
});

it("LCH-3 the tools of a graph of your own are guarded in its ToolNode, and run in no other way", async () => {
  const ran: string[] = [];
  const guard = await conductLangChain(testConduct(noPay).open(), { sdk: langchain });
  const tools = guard.tools([toolOf("pay", () => ran.push("pay")), toolOf("look", () => "seen")]);
  const asked = new AIMessage({
    content: "",
    tool_calls: ["pay", "look"].map((name, at) => ({ id: `c${at}`, name, args: {}, type: "tool_call" as const })),
  });
  const { messages } = await new ToolNode(tools).invoke({ messages: [asked] });
  expect(messages.map(({ content }: { content: unknown }) => content)).toEqual([
    expect.stringContaining("Denied by no-pay"),
    "seen",
  ]);
  expect(ran).toEqual([]);
  expect(() => tools[1]?.invoke({})).toThrow("under Conduct");
});

it("LCH-4 a tool that asks the application's person keeps its call open, and is decided once", async () => {
  const { model } = await modelOf(calls("look"), { text: "Done." });
  const { open, events } = testConduct();
  const guard = await conductLangChain(open(), { sdk: langchain });
  const look = toolOf("look", () => `the person said ${interrupt("go on?")}`);
  const agent = langchain.createAgent({
    model,
    tools: [look],
    middleware: [guard.middleware],
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: "t" } };
  await agent.invoke(human("look"), config);
  expect(events.filter(({ type }) => type === "result")).toEqual([]);
  await agent.invoke(new Command({ resume: "yes" }), config);
  expect(events.filter(({ type }) => type === "call")).toHaveLength(1);
  expect(events.flatMap((event) => (event.type === "result" ? [event.outcome] : []))).toEqual(["ok"]);
});

it("LCH-5 an agent inside a tool passes unseen unless it has the middleware of a child session", async () => {
  const ran: string[] = [];
  for (const isGuarded of [false, true]) {
    const { model } = await modelOf(calls("task"), calls("pay"), { text: "inner" }, { text: "outer" });
    const session = testConduct(noPay).open();
    const guard = await conductLangChain(session, { sdk: langchain });
    const below = await conductLangChain(await session.child("below"), { sdk: langchain });
    const middleware = isGuarded ? [below.middleware] : [];
    const inner = langchain.createAgent({ model, tools: [toolOf("pay", () => ran.push(`${isGuarded}`))], middleware });
    const task = toolOf("task", async () => (await inner.invoke(human("pay"))).messages.at(-1)?.text);
    const outer = langchain.createAgent({ model, tools: [task], middleware: [guard.middleware] });
    await outer.invoke(human("go"));
  }
  expect(ran).toEqual(["false"]);
});
