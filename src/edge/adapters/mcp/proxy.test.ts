import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bound, testProxy, textsOf } from "./test/proxy.ts";

const DEPLOY = `rules:
  - { id: test-first, on: desk/deploy, require: { call: desk/test } }`;

/** JSON with white space where it may stand, as other writers put it. */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll("\n", "  \t");
}

describe("what the proxy has nothing to do with", () => {
  it("MP-1 unknown methods, notifications and server requests pass both ways byte for byte", async () => {
    const method = fc.string().filter((name) => name !== "tools/call" && !name.startsWith("notifications/cancelled"));
    await fc.assert(
      fc.asyncProperty(method, fc.jsonValue(), fc.nat(), async (name, value, id) => {
        const { client, server } = testProxy();
        const params = { value, digits: "@@" };
        const digits = (text: string) => text.replace('"@@"', "12345678901234567890.10");
        const request = digits(spaced({ jsonrpc: "2.0", id, method: name, params }));
        const answer = digits(spaced({ jsonrpc: "2.0", id, result: params, extra: { x: "é\u2028" } }));
        const notice = digits(spaced({ jsonrpc: "2.0", method: name, params }));
        const theirs = digits(spaced({ jsonrpc: "2.0", id: "s1", method: name, params }));
        const reply = digits(spaced({ jsonrpc: "2.0", id: "s1", result: params }));
        for (const line of [request, notice]) client.say(line);
        for (const line of [theirs, answer, notice]) server.say(line);
        client.say(reply);
        expect(server.heard).toEqual([request, notice, reply]);
        if (name !== "tools/list") expect(client.heard).toEqual([theirs, answer, notice]);
      }),
    );
  });

  it("MP-2 an error without an id passes; a response to no request does not", () => {
    const { client, server, logs } = testProxy();
    client.say({ jsonrpc: "2.0", id: 1, method: "ping" });
    const unread = { jsonrpc: "2.0", id: null, error: { code: -32700, message: "?" } };
    server.say(unread);
    // Some clients take "1" for 1: a result must not come past the proxy that way.
    server.say({ jsonrpc: "2.0", id: "1", result: { content: [] } });
    expect(client.heard).toEqual([JSON.stringify(unread)]);
    expect(logs).toEqual([expect.stringContaining('"1"')]);
  });

  it.each([
    { what: "no JSON", line: "{" },
    { what: "no message", line: '{"jsonrpc":"2.0"}' },
    { what: "a request whose id is none", line: '{"jsonrpc":"2.0","id":null,"method":"tools/call"}' },
    { what: "a batch with such a thing in it", line: '[{"jsonrpc":"2.0","method":"x"}, 7]' },
  ])("MP-3 a line with $what is dropped", ({ line }) => {
    const { client, server, logs } = testProxy();
    client.say(line);
    server.say(line);
    expect(server.heard).toEqual([]);
    expect(client.heard.map((one) => JSON.parse(one).error.code)).toEqual([-32700]);
    expect(logs).toHaveLength(2);
  });

  it("MP-4 a call without an id is dropped, and one in a batch is decided like any other", async () => {
    const { client, server, logs } = testProxy({ agent: DEPLOY });
    client.say({ jsonrpc: "2.0", method: "tools/call", params: { name: "deploy" } });
    expect(logs).toEqual([expect.stringContaining("without an id")]);
    client.say([
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "deploy" } },
    ]);
    expect(textsOf(await client.hear(({ id }) => id === 2))).toContain("Denied by test-first");
    expect(server.heard.map((line) => JSON.parse(line).method)).toEqual(["ping"]);
  });

  it("MP-5 the id of a pending request cannot be reused", async () => {
    const { client, server, call } = testProxy();
    call("slow", {}, 1);
    await server.hear();
    client.say({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect(await client.hear()).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(server.heard).toEqual([]);
  });
});

describe("tools/list", () => {
  const list = (result: object, params: object = {}) => {
    const proxy = testProxy();
    proxy.client.say({ jsonrpc: "2.0", id: 1, method: "tools/list", params });
    proxy.server.say({ jsonrpc: "2.0", id: 1, result });
    return { ...proxy, listed: JSON.parse(proxy.client.heard[0] ?? "").result };
  };

  it.each([
    { what: "is added to the last page", result: { tools: [{ name: "a" }] }, names: ["a", "read_result"] },
    { what: "is not added before it", result: { tools: [{ name: "a" }], nextCursor: "2" }, names: ["a"] },
    { what: "is the server's where it has one", result: { tools: [{ name: "read_result" }] }, names: ["read_result"] },
  ])("MP-6 read_result $what", ({ result, names }) => {
    const { listed } = list(result);
    expect(listed.tools.map(({ name }: { readonly name: string }) => name)).toEqual(names);
  });

  it("MP-7 a call of a server's own read_result goes to that server", async () => {
    const { server, call } = list({ tools: [{ name: "read_result" }] });
    call("read_result", { handle: "x" }, 9);
    expect(await server.hear(({ id }) => id === 9)).toMatchObject({ params: { name: "read_result" } });
  });

  it("MP-8 numbers beyond JavaScript's precision stay as written", () => {
    const { client, server } = testProxy();
    client.say({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    server.say(
      '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"maximum":18446744073709551615}}]}}',
    );
    expect(client.heard[0]).toContain('"maximum":18446744073709551615');
  });
});

describe("the end", () => {
  it("MP-9 if the server ends, open requests are answered, calls are settled as unknown, and the client is closed", async () => {
    const { client, server, call, ended, events, closed } = testProxy();
    call("slow", {}, 1);
    await server.hear();
    client.say({ jsonrpc: "2.0", id: 2, method: "resources/list" });
    server.leave(3);
    expect(await ended).toMatchObject({ by: "server", code: 3 });
    const codes = client.heard.map((line) => JSON.parse(line)).map(({ id, error }) => [id, error.code]);
    expect(codes.sort()).toEqual([
      [1, -32000],
      [2, -32000],
    ]);
    expect(events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
    expect(closed()).toEqual({ client: true, server: true });
  });

  it("MP-10 if the client ends, undecided calls no longer run, and the server is closed", async () => {
    let decide = () => undefined as unknown;
    const waiting = new Promise((resolve) => {
      decide = () => resolve(undefined);
    });
    const { client, server, call, ended, closed, events } = testProxy({
      replace: (live) => ({
        ...bound(live),
        async decide(made, wait) {
          await waiting;
          return live.decide(made, wait);
        },
      }),
    });
    call("slow", {}, 1);
    client.leave();
    decide();
    expect(await ended).toMatchObject({ by: "client" });
    expect(server.heard).toEqual([]);
    expect(closed()).toEqual({ client: true, server: true });
    expect(events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "cancelled" });
  });
});
