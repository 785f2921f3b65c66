import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { type ModelServer, type Script, startModelServer } from "./index.ts";

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(script: Script): Promise<ModelServer> {
  const server = await startModelServer({ script });
  open.push(server);
  return server;
}

function post(server: ModelServer, path: string, body: JsonObject): Promise<Response> {
  return fetch(`${server.url}${path}`, { method: "POST", body: JSON.stringify(body) });
}

async function readEvents(response: Response): Promise<{ event: string | undefined; data: JsonObject | "[DONE]" }[]> {
  const blocks = (await response.text()).split("\n\n").filter((block) => block !== "");
  return blocks.map((block) => {
    const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    const data = field("data") ?? "";
    return { event: field("event"), data: data === "[DONE]" ? data : JSON.parse(data) };
  });
}

const reply = {
  thinking: "hm",
  text: "Looking.",
  calls: [
    { name: "read", input: { path: "a" } },
    { name: "list", input: {} },
  ],
  usage: { input: 7, output: 3 },
};

describe("anthropic-messages", () => {
  it("answers a whole message", async () => {
    const server = await serve([reply]);
    const response = await post(server, "/v1/messages", { model: "m", messages: [] });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [
        { type: "thinking", thinking: "hm", signature: "signature_1" },
        { type: "text", text: "Looking." },
        { type: "tool_use", id: "call_1_0", name: "read", input: { path: "a" } },
        { type: "tool_use", id: "call_1_1", name: "list", input: {} },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 3 },
    });
  });

  it("streams blocks in order, each event named by its type", async () => {
    const server = await serve([reply]);
    const events = await readEvents(
      await post(server, "/v1/messages?beta=true", { model: "m", stream: true, messages: [] }),
    );
    expect(events.every(({ event, data }) => data !== "[DONE]" && event === data.type)).toBe(true);
    const starts = events.filter(({ event }) => event === "content_block_start").map(({ data }) => data);
    expect(starts).toMatchObject([
      { index: 0, content_block: { type: "thinking" } },
      { index: 1, content_block: { type: "text" } },
      { index: 2, content_block: { type: "tool_use", id: "call_1_0", input: {} } },
      { index: 3, content_block: { type: "tool_use", id: "call_1_1", input: {} } },
    ]);
    expect(events.at(-2)?.data).toMatchObject({ delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } });
    expect(events.at(-1)?.event).toBe("message_stop");
  });

  it("reads system blocks, calls and results with their error flag", async () => {
    const server = await serve([{ text: "ok" }]);
    await post(server, "/v1/messages", {
      model: "m",
      system: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
      tools: [{ name: "read", description: "Reads", input_schema: {} }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "<reminder/>" },
            { type: "text", text: "go" },
          ],
        },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: { path: "a" } }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", is_error: true, content: [{ type: "text", text: "gone" }] },
          ],
        },
      ],
    });
    expect(server.requests[0]).toMatchObject({
      system: "one\n\ntwo",
      lastUserText: "<reminder/>\ngo",
      results: [{ callId: "t1", text: "gone", isError: true }],
      tools: [{ name: "read", description: "Reads", freeform: false }],
    });
  });

  it("counts tokens apart from the script", async () => {
    const server = await serve([{ text: "kept" }]);
    const counted = await post(server, "/v1/messages/count_tokens", { model: "m", messages: [] });
    expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) });
    expect(server.sideRequests).toHaveLength(1);
    expect(server.remaining).toBe(1);
  });
});

describe("openai-responses", () => {
  it("answers a whole response", async () => {
    const server = await serve([reply]);
    const response = await post(server, "/v1/responses", { model: "m", input: "hi" });
    expect(await response.json()).toMatchObject({
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Looking." }] },
        { type: "function_call", call_id: "call_1_0", name: "read", arguments: '{"path":"a"}' },
        { type: "function_call", call_id: "call_1_1", name: "list", arguments: "{}" },
      ],
      usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
    });
    expect(server.requests[0]?.lastUserText).toBe("hi");
  });

  it("streams numbered events that end with the completed response", async () => {
    const server = await serve([reply]);
    const events = await readEvents(await post(server, "/v1/responses", { model: "m", stream: true, input: [] }));
    expect(events.map(({ data }) => (data === "[DONE]" ? data : data.sequence_number))).toEqual(
      events.map((_, n) => n),
    );
    expect(events[0]?.event).toBe("response.created");
    const done = events.filter(({ event }) => event === "response.output_item.done").map(({ data }) => data);
    expect(done).toMatchObject([
      { output_index: 0, item: { type: "reasoning" } },
      { output_index: 1, item: { type: "message" } },
      { output_index: 2, item: { type: "function_call", call_id: "call_1_0" } },
      { output_index: 3, item: { type: "function_call", call_id: "call_1_1" } },
    ]);
    expect(events.at(-1)?.data).toMatchObject({ type: "response.completed", response: { status: "completed" } });
  });

  it.each([
    { declared: { tools: [{ type: "custom", name: "apply_patch" }] } },
    { declared: { input: [{ type: "additional_tools", tools: [{ type: "custom", name: "apply_patch" }] }] } },
    { declared: {} },
  ])("sends a text input as a custom call when the tool is declared as $declared", async ({ declared }) => {
    const server = await serve([{ calls: [{ name: "apply_patch", input: "*** Begin Patch" }] }]);
    const response = await post(server, "/v1/responses", { model: "m", ...declared });
    expect(await response.json()).toMatchObject({ output: [{ type: "custom_tool_call", input: "*** Begin Patch" }] });
  });

  it("finds a tool's namespace in the request and lets the script name another", async () => {
    const tools = ["one", "two"].map((name) => ({
      type: "namespace",
      name,
      tools: [{ type: "function", name: "ask" }],
    }));
    const call = { name: "ask", input: {} };
    const server = await serve([{ calls: [call, { ...call, namespace: "two" }, { ...call, namespace: "hidden" }] }]);
    const response = await post(server, "/v1/responses", { model: "m", tools });
    expect(await response.json()).toMatchObject({
      output: [{ namespace: "one" }, { namespace: "two" }, { namespace: "hidden" }],
    });
  });

  it("reads instructions, developer messages, calls and results of both forms", async () => {
    const server = await serve([{ text: "ok" }]);
    await post(server, "/v1/responses", {
      model: "m",
      instructions: "one",
      input: [
        { type: "message", role: "developer", content: [{ type: "input_text", text: "two" }] },
        { role: "user", content: "go" },
        { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a"}' },
        { type: "function_call_output", call_id: "c1", output: "alpha" },
        { type: "custom_tool_call", call_id: "c2", name: "apply_patch", input: "text" },
        { type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: "done" }] },
      ],
    });
    expect(server.requests[0]).toMatchObject({
      system: "one\n\ntwo",
      lastUserText: "go",
      results: [
        { callId: "c1", text: "alpha" },
        { callId: "c2", text: "done" },
      ],
    });
  });
});

describe("openai-chat", () => {
  it("answers a whole completion", async () => {
    const server = await serve([reply]);
    const response = await post(server, "/v1/chat/completions", { model: "m", messages: [] });
    expect(await response.json()).toMatchObject({
      object: "chat.completion",
      choices: [
        {
          message: {
            role: "assistant",
            content: "Looking.",
            reasoning_content: "hm",
            tool_calls: [
              { id: "call_1_0", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
              { id: "call_1_1", type: "function", function: { name: "list", arguments: "{}" } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
  });

  it.each([
    { asked: true, last: { choices: [], usage: { total_tokens: 10 } } },
    { asked: false, last: { choices: [{ finish_reason: "tool_calls" }] } },
  ])("ends a stream with [DONE], after the usage when it was asked for: $asked", async ({ asked, last }) => {
    const server = await serve([reply]);
    const body = { model: "m", stream: true, messages: [], stream_options: { include_usage: asked } };
    const events = await readEvents(await post(server, "/v1/chat/completions", body));
    expect(events.at(-1)).toEqual({ event: undefined, data: "[DONE]" });
    expect(events.at(-2)?.data).toMatchObject(last);
  });

  it("reads system and developer messages, calls and results", async () => {
    const server = await serve([{ text: "ok" }]);
    await post(server, "/v1/chat/completions", {
      model: "m",
      messages: [
        { role: "system", content: "one" },
        { role: "developer", content: [{ type: "text", text: "two" }] },
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", function: { name: "read", arguments: "{broken" } }],
        },
        { role: "tool", tool_call_id: "c1", content: "alpha" },
      ],
    });
    expect(server.requests[0]).toMatchObject({
      system: "one\n\ntwo",
      lastUserText: "go",
      results: [{ callId: "c1", text: "alpha" }],
    });
    expect(server.requests[0]?.history).toContainEqual({
      kind: "call",
      message: 3,
      callId: "c1",
      name: "read",
      input: "{broken",
    });
  });
});
