import { createOpenAI } from "@ai-sdk/openai";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import * as sdk from "@mastra/core/tools";
import { afterEach, expect, it } from "vitest";
import { conductMastra } from "../../src/edge/adapters/mastra/adapter.ts";
import type { AgentInput } from "../../src/engine/agent/define-agent.ts";
import { testConduct } from "../../src/engine/session/test/test-conduct.ts";
import { type ModelServer, type ScriptedMessage, startModelServer } from "../../src/testing/test/model-server/index.ts";

const servers: ModelServer[] = [];
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))));

async function modelOf(...script: ScriptedMessage[]) {
  const server = await startModelServer({ script });
  servers.push(server);
  const openai = createOpenAI({ baseURL: server.openaiUrl, apiKey: "none" });
  return { server, model: openai.responses("gpt-5-scripted") as never };
}

const noPay: Partial<AgentInput> = {
  policies: [
    {
      name: "no-pay",
      rewrites: true,
      check: ({ tool, args }) => {
        if (tool === "pay") return { kind: "deny", reason: "Not today.", missing: [], next: "Wait." };
        return args.from === "here" ? { kind: "rules", findings: [], input: { from: "there" } } : { kind: "allow" };
      },
    },
  ],
};

const toolOf = (id: string, execute: (input: { from?: string }, context: never) => unknown) =>
  sdk.createTool({
    id,
    description: id,
    inputSchema: { type: "object", properties: { from: { type: "string" } } } as never,
    execute: async (input: unknown, context: unknown) => execute(input as never, context as never),
  });
const calls = (...names: string[]): ScriptedMessage => ({
  calls: names.map((name, at) => ({ id: `c${at + 1}`, name, input: {} })),
});
const about = { id: "a", name: "a", instructions: "Help.", maxRetries: 0 };
const outcomes = (events: ReturnType<typeof testConduct>["events"]) =>
  events.flatMap((event) => (event.type === "result" ? [event.outcome] : []));

it("MST-1 a denied call returns the reason, and its sibling in the same response runs", async () => {
  const { model, server } = await modelOf(calls("pay", "look"), { text: "Sorry." });
  const ran: string[] = [];
  const guard = await conductMastra(testConduct(noPay).open(), { sdk });
  const tools = { pay: toolOf("pay", () => ran.push("pay")), look: toolOf("look", () => ran.push("look")) };
  const agent = new Agent(guard.agent({ ...about, model, tools }));
  expect((await agent.generate("pay")).text).toBe("Sorry.");
  expect(ran).toEqual(["look"]);
  expect(server.requests[1]?.results[0]?.text).toContain("Denied by no-pay: Not today.");
});

it("MST-2 a tool that throws has failed, the model reads why, and the run continues", async () => {
  const { model, server } = await modelOf(calls("look"), { text: "Done." });
  const { open, events } = testConduct();
  const guard = await conductMastra(open(), { sdk });
  const look = toolOf("look", () => {
    throw Object.assign(new Error("boom"), { exitCode: 3 });
  });
  expect((await new Agent(guard.agent({ ...about, model, tools: { look } })).generate("look")).text).toBe("Done.");
  expect(outcomes(events)).toEqual(["failed"]);
  expect(server.requests[1]?.results[0]?.text).toContain("boom");
});

it("MST-3 a tool that is given for one run only is decided on as well, and tools may be a function", async () => {
  const { model, server } = await modelOf(calls("pay", "look"), { text: "Sorry." });
  const ran: string[] = [];
  const guard = await conductMastra(testConduct(noPay).open(), { sdk });
  const agent = new Agent(guard.agent({ ...about, model, tools: () => ({ look: toolOf("look", () => "seen") }) }));
  await agent.generate("pay", { toolsets: { more: { pay: toolOf("pay", () => ran.push("pay")) } } });
  expect(ran).toEqual([]);
  expect(server.requests[1]?.results.map(({ text }) => text)).toEqual([
    expect.stringContaining("Denied by no-pay"),
    expect.stringContaining("seen"),
  ]);
});

it("MST-4 the application's own hooks and processors still run, and Conduct decides on what they leave", async () => {
  const { model, server } = await modelOf({ calls: [{ id: "c1", name: "look", input: {} }] }, { text: "Done." });
  const seen: string[] = [];
  const guard = await conductMastra(testConduct(noPay).open(), { sdk });
  const look = toolOf("look", ({ from }) => `from ${from}`);
  const ownProcessor = {
    id: "own",
    processInput<T>({ messages }: { messages: T }): T {
      seen.push("processor");
      return messages;
    },
  };
  const agent = new Agent(
    guard.agent({
      ...about,
      model,
      tools: { look },
      hooks: {
        beforeToolCall: ({ input }: { input: unknown }) => void Object.assign(input as object, { from: "here" }),
        afterToolCall: ({ output }: { output?: unknown }) => void seen.push(String(output)),
      },
      inputProcessors: [ownProcessor],
    }),
  );
  await agent.generate("look");
  expect(seen).toEqual(["processor", "from there"]);
  expect(server.requests[1]?.results[0]?.text).toContain("from there");
});

it("MST-5 a tool that waits for the application's person keeps its call open, and is decided once", async () => {
  const { model } = await modelOf(calls("look"), { text: "Done." });
  const { open, events } = testConduct();
  const guard = await conductMastra(open(), { sdk });
  const look = sdk.createTool({
    id: "look",
    description: "look",
    inputSchema: { type: "object", properties: {} } as never,
    suspendSchema: { type: "object", properties: {} } as never,
    resumeSchema: { type: "object", properties: { answer: { type: "string" } } } as never,
    execute: async (_input: unknown, context: never) => {
      const { agent } = context as {
        agent: { resumeData?: { answer: string }; suspend(about: object): Promise<void> };
      };
      if (agent.resumeData === undefined) return agent.suspend({});
      return `the person said ${agent.resumeData.answer}`;
    },
  } as never);
  const agent = new Agent(guard.agent({ ...about, model, tools: { look } as never }));
  new Mastra({ agents: { a: agent } as never, storage: new InMemoryStore(), logger: false });
  const paused = await agent.generate("look");
  expect(paused.finishReason).toBe("suspended");
  expect(outcomes(events)).toEqual([]);
  const { runId } = paused;
  const resumed = await agent.resumeGenerate({ answer: "yes" }, { runId, toolCallId: "c1" } as never);
  expect(resumed.text).toBe("Done.");
  expect(events.filter(({ type }) => type === "call")).toHaveLength(1);
  expect(outcomes(events)).toEqual(["ok"]);
});

it("MST-6 the calls of a subagent pass unseen unless it is guarded by a child session", async () => {
  const ran: string[] = [];
  for (const isGuarded of [false, true]) {
    const { model } = await modelOf(
      { calls: [{ id: "c1", name: "agent-below", input: { prompt: "pay" } }] },
      calls("pay"),
      { text: "inner" },
      { text: "outer" },
    );
    const session = testConduct(noPay).open();
    const guard = await conductMastra(session, { sdk });
    const child = await conductMastra(await session.child("below"), { sdk });
    const pay = toolOf("pay", () => ran.push(`${isGuarded}`));
    const inner = { ...about, id: "below", name: "below", description: "pays", model, tools: { pay } };
    const below = new Agent(isGuarded ? child.agent(inner) : inner);
    await new Agent(guard.agent({ ...about, model, agents: { below } })).generate("go");
  }
  expect(ran).toEqual(["false"]);
});
