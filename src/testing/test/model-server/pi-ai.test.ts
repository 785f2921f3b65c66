import { type Api, type AssistantMessage, type Context, type Model, stream, Type } from "@earendil-works/pi-ai/compat";
import { afterEach, describe, expect, it } from "vitest";
import { type ModelServer, type Script, startModelServer, type WireName } from "./index.ts";

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(script: Script): Promise<ModelServer> {
  const server = await startModelServer({ script });
  open.push(server);
  return server;
}

function model(server: ModelServer, api: Api): Model<Api> {
  return {
    id: "scripted",
    name: "Scripted",
    api,
    provider: "scripted",
    baseUrl: api === "anthropic-messages" ? server.url : server.openaiUrl,
    reasoning: true,
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 1_000,
  };
}

const tools = [{ name: "read_file", description: "Reads a file", parameters: Type.Object({ path: Type.String() }) }];

const apis: { api: Api; wire: WireName }[] = [
  { api: "anthropic-messages", wire: "anthropic-messages" },
  { api: "openai-responses", wire: "openai-responses" },
  { api: "openai-completions", wire: "openai-chat" },
];

async function ask(
  server: ModelServer,
  api: Api,
  context: Context,
): Promise<{ message: AssistantMessage; deltas: string }> {
  let deltas = "";
  const events = stream(model(server, api), context, { apiKey: "none", maxRetries: 0 });
  for await (const event of events) if (event.type === "text_delta") deltas += event.delta;
  return { message: await events.result(), deltas };
}

function textOf(message: AssistantMessage): string {
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

describe.each(apis)("pi-ai over $api", ({ api, wire }) => {
  it("streams text in several deltas and reports the scripted usage", async () => {
    const text = "A text that is longer than one piece, with ünïcode 🎉🎉🎉🎉🎉🎉🎉🎉.";
    const server = await serve([{ text, usage: { input: 123, output: 45 } }]);
    const { message, deltas } = await ask(server, api, {
      systemPrompt: "Be terse.",
      messages: [{ role: "user", content: "hello", timestamp: 0 }],
    });
    expect(deltas).toBe(text);
    expect(textOf(message)).toBe(text);
    expect(message.stopReason).toBe("stop");
    expect(message.usage).toMatchObject({ input: 123, output: 45 });
    expect(server.requests[0]).toMatchObject({
      index: 0,
      wire,
      kind: "turn",
      system: "Be terse.",
      lastUserText: "hello",
    });
    server.assertPlayed();
  });

  it("plays a parallel batch in one message, and the results come back under the same ids", async () => {
    const server = await serve([
      {
        thinking: "two at once",
        text: "Reading.",
        calls: [
          { name: "read_file", input: { path: "a.txt" } },
          { id: "chosen", name: "read_file", input: { path: "b.txt" } },
        ],
      },
      { text: "done" },
    ]);
    const messages: Context["messages"] = [{ role: "user", content: "read both", timestamp: 0 }];
    const first = await ask(server, api, { messages, tools });
    const calls = first.message.content.filter((part) => part.type === "toolCall");
    expect(first.message.stopReason).toBe("toolUse");
    expect(first.message.content[0]).toMatchObject({ type: "thinking", thinking: "two at once" });
    expect(calls.map((call) => call.arguments)).toEqual([{ path: "a.txt" }, { path: "b.txt" }]);

    const results = calls.map((call, position) => ({
      role: "toolResult" as const,
      toolCallId: call.id,
      toolName: call.name,
      content: [{ type: "text" as const, text: `content ${position}` }],
      isError: position === 1,
      timestamp: 0,
    }));
    const second = await ask(server, api, { messages: [...messages, first.message, ...results], tools });
    expect(textOf(second.message)).toBe("done");
    expect(server.requests[1]?.results.map(({ callId, text }) => ({ callId, text }))).toEqual([
      { callId: "call_1_0", text: "content 0" },
      { callId: "chosen", text: "content 1" },
    ]);
    expect(server.requests[1]?.history.filter((item) => item.kind === "call")).toMatchObject([
      { callId: "call_1_0", name: "read_file", input: { path: "a.txt" } },
      { callId: "chosen", name: "read_file", input: { path: "b.txt" } },
    ]);
    expect(server.requests[1]?.toolNames).toEqual(["read_file"]);
    server.assertPlayed();
  });

  it("sees a scripted error as an error with its message", async () => {
    const server = await serve([{ error: { status: 400, message: "the scripted refusal" } }]);
    const { message } = await ask(server, api, { messages: [{ role: "user", content: "hi", timestamp: 0 }] });
    expect(message.stopReason).toBe("error");
    expect(message.errorMessage).toContain("the scripted refusal");
  });
});
