import * as agents from "@openai/agents";
import { afterEach, expect, it } from "vitest";
import { conductAgents } from "../../src/edge/adapters/openai-agents/adapter.ts";
import type { AgentInput } from "../../src/engine/agent/define-agent.ts";
import { testConduct } from "../../src/engine/session/test/test-conduct.ts";
import { type ModelServer, type ScriptedMessage, startModelServer } from "../../src/testing/test/model-server/index.ts";

agents.setTracingDisabled(true);
const servers: ModelServer[] = [];
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))));

async function modelOf(...script: ScriptedMessage[]) {
  const server = await startModelServer({ script });
  servers.push(server);
  const provider = new agents.OpenAIProvider({ baseURL: server.openaiUrl, apiKey: "none", useResponses: true });
  return { server, model: await provider.getModel("gpt-5-scripted") };
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
const toolOf = (name: string, execute: () => unknown) =>
  agents.tool({
    name,
    description: name,
    strict: false,
    parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
    execute,
  });
const calls = (...names: string[]): ScriptedMessage => ({
  calls: names.map((name, at) => ({ id: `c${at + 1}`, name, input: { input: "go" } })),
});

it("OAG-1 a denied call returns the reason, and its sibling in the same response runs", async () => {
  const { model, server } = await modelOf(calls("pay", "look"), { text: "Sorry." });
  const ran: string[] = [];
  const guard = conductAgents(testConduct(noPay).open(), { sdk: agents });
  const tools = [toolOf("pay", () => ran.push("pay")), toolOf("look", () => ran.push("look"))];
  const agent = await guard.agent(new agents.Agent({ name: "a", model, tools }));
  expect((await guard.run(agent, "pay")).finalOutput).toBe("Sorry.");
  expect(ran).toEqual(["look"]);
  expect(server.requests[1]?.results[0]?.text).toContain("Denied by no-pay: Not today.");
});

it("OAG-2 a tool that threw has failed, though the SDK turns its error into a text", async () => {
  const { model, server } = await modelOf(calls("look"), { text: "Done." });
  const { open, events } = testConduct();
  const guard = conductAgents(open(), { sdk: agents });
  const fail = () => {
    throw new Error("boom");
  };
  const agent = await guard.agent(new agents.Agent({ name: "a", model, tools: [toolOf("look", fail)] }));
  await guard.run(agent, "look");
  expect(events.flatMap((event) => (event.type === "result" ? [event.outcome] : []))).toEqual(["failed"]);
  expect(server.requests[1]?.results[0]?.text).toContain("An error occurred while running the tool");
});

it("OAG-3 the inner calls of asTool() are guarded when the inner agent is, and pass unseen when it is not", async () => {
  for (const isGuarded of [false, true]) {
    const { model, server } = await modelOf(calls("inner"), calls("pay"), { text: "Inner." }, { text: "Outer." });
    const ran: string[] = [];
    const guard = conductAgents(testConduct(noPay).open(), { sdk: agents });
    const own = new agents.Agent({ name: "inner", model, tools: [toolOf("pay", () => ran.push("pay"))] });
    const inner = isGuarded ? await guard.agent(own) : own;
    const asTool = inner.asTool({ toolName: "inner", toolDescription: "inner" });
    const agent = await guard.agent(new agents.Agent({ name: "outer", model, tools: [asTool] }));
    await guard.run(agent, "go");
    expect(ran).toEqual(isGuarded ? [] : ["pay"]);
    expect(server.remaining).toBe(0);
  }
});

it("OAG-4 an agent that it hands off to is guarded too", async () => {
  const { model } = await modelOf(calls("transfer_to_second"), calls("pay"), { text: "Sorry." });
  const ran: string[] = [];
  const guard = conductAgents(testConduct(noPay).open(), { sdk: agents });
  const second = new agents.Agent({ name: "second", model, tools: [toolOf("pay", () => ran.push("pay"))] });
  const agent = await guard.agent(new agents.Agent({ name: "first", model, handoffs: [second] }));
  expect((await guard.run(agent, "go")).finalOutput).toBe("Sorry.");
  expect(ran).toEqual([]);
});

it("OAG-5 a local tool that cannot be guarded, an agent without Conduct and a streamed run are refused", async () => {
  const { model, server } = await modelOf({ text: "Hello." });
  const guard = conductAgents(testConduct().open(), { sdk: agents });
  const shell = agents.shellTool({ shell: { run: async () => ({ output: [] }) } });
  const agent = await guard.agent(new agents.Agent({ name: "a", model, tools: [shell] }));
  await expect(guard.run(agent, "hi")).rejects.toThrow("cannot guard the tool 'shell'");
  await expect(guard.run(new agents.Agent({ name: "b", model }), "hi")).rejects.toThrow("not under Conduct");
  await expect(guard.run(agent, "hi", { stream: true })).rejects.toThrow("streamed");
  expect(server.requests).toEqual([]);
});
