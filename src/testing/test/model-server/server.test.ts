import { connect } from "node:net";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { isSideRequest, MARKER, type ModelServer, type ModelServerOptions, startModelServer } from "./index.ts";

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  open.push(server);
  return server;
}

type Answer = { status: number; text: string; retry: string | null };

async function send(
  server: ModelServer,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/v1/messages`, { method: "POST", body, headers });
  const answer = (await response.json()) as { content?: { text: string }[]; error?: { message: string } };
  const text = answer.content?.map((block) => block.text).join("") ?? answer.error?.message ?? "";
  return { status: response.status, text, retry: response.headers.get("x-should-retry") };
}

const hello = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }] });

describe("the script", () => {
  it("plays replies in order; functions see the request and may wait", async () => {
    const server = await serve({
      script: [
        { text: "one" },
        (request) => ({ text: `${request.index}: ${request.lastUserText}` }),
        async () => ({ text: "three" }),
      ],
    });
    const texts = [await send(server, hello), await send(server, hello), await send(server, hello)].map(
      ({ text }) => text,
    );
    expect(texts).toEqual(["one", "1: hello", "three"]);
    expect(() => server.assertPlayed()).not.toThrow();
  });

  it("answers a marker when it is exhausted, and says so", async () => {
    const server = await serve({ script: [] });
    expect(await send(server, hello)).toMatchObject({ status: 200, text: `${MARKER} script exhausted` });
    expect(server.exhausted).toBe(1);
    expect(() => server.assertPlayed()).toThrow("request 0: script exhausted");
  });

  it.each([
    { where: "script", options: { script: () => fail("bad guess") } },
    { where: "ignore", options: { script: [], ignore: () => fail("bad guess") } },
  ])("answers a marker when $where throws, and says so", async ({ options }) => {
    const server = await serve(options);
    expect((await send(server, hello)).text).toBe(`${MARKER} script threw: bad guess`);
    expect(server.faults).toEqual([{ code: "threw", request: 0, message: "script threw: bad guess" }]);
  });

  it("complains about replies that were never asked for; another script starts afresh", async () => {
    const server = await serve({ script: [{ text: "one" }, { text: "two" }] });
    expect(() => server.assertPlayed()).toThrow("2 scripted replies were never asked for");
    server.setScript([{ text: "other" }]);
    expect((await send(server, hello)).text).toBe("other");
    expect(server.remaining).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it("answers a scripted error, with the retry hint only when it was given", async () => {
    const error = { status: 529, message: "overloaded" };
    const server = await serve({ script: [{ error }, { error: { ...error, retry: false } }] });
    expect(await send(server, hello)).toEqual({ status: 529, text: "overloaded", retry: null });
    expect(await send(server, hello)).toEqual({ status: 529, text: "overloaded", retry: "false" });
  });

  it("puts the prefix into the ids it gives", async () => {
    const server = await serve({ script: [{ calls: [{ name: "read", input: {} }] }], idPrefix: "second_" });
    const response = await fetch(`${server.url}/v1/messages`, { method: "POST", body: hello });
    expect(await response.json()).toMatchObject({ id: "msg_second_1", content: [{ id: "call_second_1_0" }] });
  });
});

describe("requests", () => {
  it("keeps the body's text byte for byte", async () => {
    const server = await serve({ script: [{ text: "ok" }] });
    const raw = '{ "model":"m",\n "messages": [], "é": "\\u00e9🎉" }';
    await send(server, raw);
    expect(server.requests[0]?.raw).toBe(raw);
  });

  it.each([
    { encoding: "gzip", bytes: gzipSync(hello) },
    { encoding: "zstd", bytes: zstdCompressSync(hello) },
  ])("reads a body sent as $encoding", async ({ encoding, bytes }) => {
    const server = await serve({ script: [{ text: "ok" }] });
    expect((await send(server, new Uint8Array(bytes), { "content-encoding": encoding })).text).toBe("ok");
    expect(server.requests[0]?.raw).toBe(hello);
  });

  it.each([
    { body: "{broken", encoding: "identity" },
    { body: "[]", encoding: "identity" },
    { body: "not gzip", encoding: "gzip" },
    { body: hello, encoding: "unheard-of" },
  ])("refuses $body sent as $encoding with 400", async ({ body, encoding }) => {
    const server = await serve({ script: [{ text: "ok" }] });
    expect((await send(server, body, { "content-encoding": encoding })).status).toBe(400);
    expect(server.probes).toEqual([{ method: "POST", path: "/v1/messages", status: 400 }]);
    expect(server.remaining).toBe(1);
  });

  it("records what ignore answers apart, and leaves the script alone", async () => {
    const ignore: ModelServerOptions["ignore"] = ({ model }) => (model === "small" ? { text: "aside" } : undefined);
    const server = await serve({ script: [{ text: "main" }], ignore });
    expect((await send(server, '{"model":"small","messages":[]}')).text).toBe("aside");
    expect((await send(server, hello)).text).toBe("main");
    expect([server.sideRequests.length, server.requests.length, server.requests[0]?.index]).toEqual([1, 1, 0]);
  });

  const claude = { "user-agent": "claude-cli/2.1.325 (external, sdk-ts)" };
  const codex = (kind: object): Record<string, string> => ({ "x-codex-turn-metadata": JSON.stringify(kind) });
  it.each([
    { kind: "turn", side: false, headers: {}, body: { max_tokens: 1 } },
    { kind: "turn", side: false, headers: claude, body: {} },
    { kind: "subagent", side: false, headers: claude, body: { system: "cc_entrypoint=sdk-ts; cc_is_subagent=true;" } },
    { kind: "probe", side: true, headers: claude, body: { max_tokens: 1 } },
    {
      kind: "title",
      side: true,
      headers: claude,
      body: { output_config: { format: { schema: { properties: { title: {} } } } } },
    },
    {
      kind: "hook-prompt",
      side: true,
      headers: claude,
      body: { system: "You are evaluating a hook in Claude Code. The" },
    },
    {
      kind: "compaction",
      side: true,
      headers: claude,
      body: {
        messages: [
          { role: "user", content: "Do NOT call any tools. An <analysis> block followed by a <summary> block." },
        ],
      },
    },
    { kind: "turn", side: false, headers: codex({ request_kind: "turn", thread_source: "user" }), body: {} },
    { kind: "subagent", side: false, headers: codex({ request_kind: "turn", thread_source: "subagent" }), body: {} },
    { kind: "compaction", side: true, headers: codex({ request_kind: "compaction" }), body: {} },
    { kind: "background", side: true, headers: codex({ request_kind: "memory" }), body: {} },
  ])("knows a $kind by $headers and $body; aside: $side", async ({ kind, side, headers, body }) => {
    const server = await serve({ script: [{ text: "main" }] });
    await send(server, JSON.stringify({ model: "m", messages: [], ...body }), headers);
    const [request] = [...server.requests, ...server.sideRequests];
    expect(request?.kind).toBe(kind);
    expect(request && isSideRequest(request)).toBe(side);
    expect(server.sideRequests).toHaveLength(side ? 1 : 0);
  });
});

describe("everything else", () => {
  it.each([
    { method: "HEAD", path: "/", status: 200 },
    { method: "GET", path: "/v1/models", status: 200 },
    { method: "GET", path: "/api/hello", status: 404 },
    { method: "POST", path: "/v1/embeddings", status: 404 },
    { method: "GET", path: "/v1/messages", status: 404 },
  ])("answers $method $path with $status and records it", async ({ method, path, status }) => {
    const server = await serve({ script: [] });
    const response = await fetch(`${server.url}${path}`, { method });
    expect(response.status).toBe(status);
    expect(server.probes).toEqual([{ method, path, status }]);
  });

  it.each([
    { headers: { "anthropic-version": "2023-06-01" }, shape: { type: "error", error: { type: "not_found_error" } } },
    { headers: {}, shape: { error: { type: "invalid_request_error", code: null } } },
  ])("shapes a 404 as the client's provider does: $headers", async ({ headers, shape }) => {
    const server = await serve({ script: [] });
    const response = await fetch(`${server.url}/nowhere`, { headers });
    expect(await response.json()).toMatchObject(shape);
  });

  it("close ends sockets, also those that wait for a reply", async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await startModelServer({
      script: () => {
        arrived.resolve();
        return new Promise(() => {});
      },
    });
    const idle = connect(Number(new URL(server.url).port), "127.0.0.1");
    const idleEnded = new Promise((resolve) => idle.on("close", resolve).on("error", resolve));
    const waiting = fetch(`${server.url}/v1/messages`, { method: "POST", body: hello }).catch(() => "ended");
    await arrived.promise;
    await server.close();
    expect(await waiting).toBe("ended");
    await idleEnded;
  });
});

function fail(message: string): never {
  throw new Error(message);
}
