import { createAnthropic } from "@ai-sdk/anthropic";
import * as ai from "ai";
import { afterEach, expect, it } from "vitest";
import { conductAiSdk } from "../../src/edge/adapters/ai-sdk/adapter.ts";
import type { AgentInput } from "../../src/engine/agent/define-agent.ts";
import { testConduct } from "../../src/engine/session/test/test-conduct.ts";
import { type ModelServer, type ScriptedMessage, startModelServer } from "../../src/testing/test/model-server/index.ts";

const servers: ModelServer[] = [];
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))));

async function modelOf(...script: ScriptedMessage[]) {
  const server = await startModelServer({ script });
  servers.push(server);
  return { server, model: createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "none" })("scripted") };
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
const pay = (ran: string[], more: object = {}) =>
  ai.tool({
    inputSchema: ai.jsonSchema<{ to?: string }>({ type: "object", properties: {} }),
    execute: () => {
      ran.push("pay");
      return { receipt: "R-1" };
    },
    ...more,
  });
const call = (name: string): ScriptedMessage => ({ calls: [{ id: "c1", name, input: {} }] });

it("AIS-10 a denial is the SDK's own denial, with our reason, and the tool does not run", async () => {
  const { model, server } = await modelOf(call("pay"), { text: "Sorry." });
  const ran: string[] = [];
  const guard = conductAiSdk(testConduct(noPay).open(), { sdk: ai });
  const made = await ai.generateText(await guard.settings({ model, tools: { pay: pay(ran) }, prompt: "pay" }));
  expect(ran).toEqual([]);
  expect(server.requests[1]?.results[0]?.text).toContain("Denied by no-pay: Not today.");
  expect(JSON.stringify(made.responseMessages)).toContain("execution-denied");
  expect(guard.end).toMatchObject({ status: "complete" });
});

it("AIS-11 if another function takes the place of the approval, the tool itself still refuses", async () => {
  const { model, server } = await modelOf(call("pay"), { text: "Sorry." });
  const ran: string[] = [];
  const guard = conductAiSdk(testConduct(noPay).open(), { sdk: ai });
  const settings = await guard.settings({ model, tools: { pay: pay(ran) }, prompt: "pay" });
  await ai.generateText({ ...settings, toolApproval: () => "approved" });
  expect(ran).toEqual([]);
  expect(server.requests[1]?.results[0]?.text).toContain("Denied by no-pay: Not today.");
});

it("AIS-12 a tool's needsApproval still asks the application's person, and a yes does not lift our denial", async () => {
  const { model, server } = await modelOf(call("pay"), { text: "Sorry." });
  const ran: string[] = [];
  const guard = conductAiSdk(testConduct(noPay).open(), { sdk: ai });
  const tools = { pay: pay(ran, { needsApproval: true }) };
  const first = await ai.generateText(await guard.settings({ model, tools, prompt: "pay" }));
  const request = first.content.find((part) => part.type === "tool-approval-request");
  expect(request).toBeDefined();
  const answer = { type: "tool-approval-response" as const, approvalId: request?.approvalId ?? "", approved: true };
  const messages: ai.ModelMessage[] = [
    { role: "user", content: "pay" },
    ...first.responseMessages,
    { role: "tool", content: [answer] },
  ];
  await ai.generateText(await guard.settings({ model, tools, messages }));
  expect(ran).toEqual([]);
  expect(server.requests.at(-1)?.results[0]?.text).toContain("Not today.");
});

it("AIS-13 own callbacks, conversions and instructions keep working", async () => {
  const { model, server } = await modelOf(call("pay"), { text: "Paid." });
  const ran: string[] = [];
  const ended: string[] = [];
  const guard = conductAiSdk(testConduct().open(), { sdk: ai });
  const tools = {
    pay: pay(ran, { toModelOutput: () => ({ type: "text", value: "the receipt" }) }),
  };
  await ai.generateText(
    await guard.settings({
      model,
      tools,
      prompt: "pay",
      instructions: "OWN-INSTRUCTIONS",
      onStepFinish: ({ finishReason }: { finishReason: string }) => void ended.push(finishReason),
    }),
  );
  expect(ran).toEqual(["pay"]);
  expect(ended).toEqual(["tool-calls", "stop"]);
  expect(server.requests[1]?.results[0]?.text).toBe("the receipt");
  for (const { system } of server.requests) expect(system).toContain("OWN-INSTRUCTIONS");
});

it("AIS-14 an agent inside a tool passes unseen unless it gets the settings of a child session", async () => {
  for (const isGuarded of [false, true]) {
    const { model, server } = await modelOf(call("task"), call("pay"), { text: "Inner." }, { text: "Outer." });
    const ran: string[] = [];
    const session = testConduct(noPay).open();
    const guard = conductAiSdk(session, { sdk: ai });
    const inner = { model, tools: { pay: pay(ran) }, prompt: "pay", stopWhen: ai.isStepCount(5) };
    const task = ai.tool({
      inputSchema: ai.jsonSchema({ type: "object", properties: {} }),
      execute: async () => {
        const child = conductAiSdk(await session.child("below"), { sdk: ai });
        return (await ai.generateText(isGuarded ? await child.settings(inner) : inner)).text;
      },
    });
    await ai.generateText(await guard.settings({ model, tools: { task }, prompt: "go" }));
    expect(ran).toEqual(isGuarded ? [] : ["pay"]);
    expect(server.remaining).toBe(0);
  }
});

it("AIS-15 a generation whose prompt cannot be built sends no request", async () => {
  const { model, server } = await modelOf({ text: "Hello." });
  const session = testConduct().open();
  Object.assign(session, { onPrompt: () => Promise.reject(new Error("the contract cannot be read")) });
  const guard = conductAiSdk(session, { sdk: ai });
  await expect(ai.generateText(await guard.settings({ model, prompt: "hi" }))).rejects.toThrow("cannot be read");
  expect(server.requests).toEqual([]);
});
