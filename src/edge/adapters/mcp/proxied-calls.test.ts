import { describe, expect, it } from "vitest";
import { bound, LONG, RULES, said, testProxy, textsOf } from "./test/proxy.ts";

describe("the moment call", () => {
  it("MC-1 a denied call never reaches the server; the model gets the rule, the reason and the next step", async () => {
    const { server, play } = testProxy({ agent: RULES });
    const denied = await play("deploy");
    expect(denied).toMatchObject({ result: { isError: true } });
    expect(textsOf(denied)).toMatch(/^Denied by test-first: .*\n(?:.*\n)*Next: /);
    expect(server.heard).toEqual([]);
    await play("test");
    expect(await play("deploy")).toMatchObject({ result: said("ok") });
  });

  it("MC-2 the decided call runs exactly as decided, digit for digit, without unread fields", async () => {
    const { client, server } = testProxy();
    const args = '{"id":18446744073709551615,"share":1.0,"x":1,"x":2}';
    client.say(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","arguments":${args},"_meta":{"a":1e3}}}`,
    );
    await expect.poll(() => server.heard).toHaveLength(1);
    expect(server.heard[0]).toContain('"arguments":{"id":18446744073709551615,"share":1.0,"x":2},"_meta":{"a":1e3}');
  });

  it("MC-3 a call runs with its rewritten arguments, and the others stay unchanged", async () => {
    const { client, server } = testProxy({ agent: RULES });
    client.say(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"for":2.50,"timeout":900}}}',
    );
    await expect.poll(() => server.heard).toHaveLength(1);
    expect(server.heard[0]).toContain('"arguments":{"for":2.50,"timeout":60}');
  });

  it.each([
    { what: "no name", params: {} },
    { what: "arguments that are no object", params: { name: "x", arguments: [1] } },
  ])("MC-4 a call with $what is rejected", async ({ params }) => {
    const { client, server } = testProxy();
    client.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    expect(await client.hear()).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(server.heard).toEqual([]);
  });

  it("MC-5 while Conduct does not answer, the call does not run, and other messages pass", async () => {
    const hanging = {
      replace: (live: Parameters<typeof bound>[0]) => ({ ...bound(live), decide: () => new Promise<never>(() => {}) }),
    };
    const { client, server, call } = testProxy(hanging);
    call("test");
    client.say({ jsonrpc: "2.0", id: "p", method: "ping" });
    expect(await server.hear()).toMatchObject({ method: "ping" });
    server.say({ jsonrpc: "2.0", id: "p", result: {} });
    expect(await client.hear()).toMatchObject({ id: "p" });
    expect(server.heard).toEqual([]);
  });

  it("MC-6 an ended turn runs no more calls until the agent pauses", async () => {
    const { play, pass } = testProxy({ agent: RULES });
    const texts: string[] = [];
    for (let n = 0; n < 6; n++) texts.push(textsOf(await play("deploy")));
    expect(texts.at(-1)).toContain("The turn ends here");
    expect(textsOf(await play("test"))).toContain("Conduct has ended this turn");
    pass(61_000);
    expect(textsOf(await play("test"))).toBe("ok");
  });
});

describe("cancelling", () => {
  it("MC-12 cancelling a running call notifies the server, sets the outcome to unknown, and drops a late result", async () => {
    const { client, server, call, events, logs } = testProxy();
    call("slow", {}, 1);
    await server.hear();
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    client.say(cancel);
    expect(await server.hear()).toEqual(cancel);
    await expect.poll(() => events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
    server.say({ jsonrpc: "2.0", id: 1, result: said("late") });
    expect(client.heard).toEqual([]);
    expect(logs).toHaveLength(1);
  });

  it("MC-13 cancelling another request is forwarded, and the request is no longer awaited", () => {
    const { client, server } = testProxy();
    client.say({ jsonrpc: "2.0", id: 1, method: "resources/read" });
    client.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(server.heard).toHaveLength(2);
    client.say({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect(server.heard).toHaveLength(3);
  });
});

describe("the moment result", () => {
  it("MC-14 an unchanged result passes byte for byte", async () => {
    const { client, server, call } = testProxy();
    const id = call("get");
    await server.hear();
    const line = `{ "jsonrpc":"2.0", "id":${id}, "result":{"content":[], "structuredContent":{"n":18446744073709551615}} }`;
    server.say(line);
    await expect.poll(() => client.heard).toEqual([line]);
  });

  it("MC-15 a long result is cut, and read_result pages through the rest", async () => {
    const { play } = testProxy({ agent: RULES });
    const cut = textsOf(await play("get", {}, LONG));
    expect(cut.length).toBeLessThan(6_000);
    const [, handle, offset] = /read_result with \{"handle":"([^"]+)","offset":(\d+)\}/.exec(cut) ?? [];
    const page = textsOf(await play("read_result", { handle, offset: Number(offset) }));
    expect("word ".repeat(20_000).slice(Number(offset))).toContain(page.split("\n\n[")[0]);
    expect(page).toContain(`[characters ${offset} to `);
    expect(await play("read_result", { handle: "none" })).toMatchObject({ result: { isError: true } });
  });

  it("MC-16 a server error counts as a failed call, and advice comes with results", async () => {
    const { client, server, call, play, events } = testProxy({ agent: RULES });
    const id = call("test");
    await server.hear();
    server.say({ jsonrpc: "2.0", id, error: { code: -32603, message: "broken" } });
    expect(await client.hear()).toMatchObject({ error: { message: "broken" } });
    expect(events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "failed" });
    expect(textsOf(await play("deploy"))).toContain("Denied by test-first");
    expect(textsOf(await play("move"))).toBe("Move with care.\nok");
  });

  it("MC-17 feedback comes after the result, in the same turn", async () => {
    const { play } = testProxy({ agent: "feedback:\n  - { static: Look twice., every: { calls: 2 } }" });
    expect(textsOf(await play("a"))).toBe("ok");
    expect(textsOf(await play("b"))).toMatch(/^ok\n(?:.*\n)*.*Look twice\./);
  });

  it("MC-18 requirements of a trusted tool apply and are hidden; those of other tools are only removed", async () => {
    const { play } = testProxy({ agent: RULES });
    const structuredContent = { state: "open", __directives: { requireBeforeNext: ["desk/test"] } };
    const mirrored = { ...said(JSON.stringify(structuredContent)), structuredContent };
    const untrusted = await play("other", {}, mirrored);
    expect(untrusted).toMatchObject({ result: { ...said('{"state":"open"}'), structuredContent: { state: "open" } } });
    expect(textsOf(await play("get"))).toBe("ok");
    const trusted = await play("lookup", {}, mirrored);
    expect(trusted).toMatchObject({ result: { structuredContent: { state: "open" } } });
    expect(JSON.stringify(trusted)).not.toContain("__directives");
    expect(textsOf(await play("get"))).toContain("desk/test");
    await play("test");
    expect(textsOf(await play("get"))).toBe("ok");
  });

  it("MC-19 a result that could not be checked is withheld completely", async () => {
    const { play } = testProxy({
      replace: (live) => ({
        ...bound(live),
        onResult: async () => ({
          result: { outcome: "unknown", parts: [{ kind: "text", text: "withheld" }] },
          changed: true,
        }),
      }),
    });
    const secret = await play(
      "get",
      {},
      { ...said("secret"), structuredContent: { a: "secret" }, _meta: { a: "secret" } },
    );
    expect(secret).toMatchObject({ result: { ...said("withheld"), isError: true } });
    expect(JSON.stringify(secret)).not.toContain("secret");
  });

  it("MC-20 in shadow mode everything is recorded and nothing is changed", async () => {
    const { play, events } = testProxy({ agent: RULES, session: { enforcement: "shadow" } });
    expect(await play("deploy", {}, LONG)).toMatchObject({ result: LONG });
    expect(await play("wait", { timeout: 900 })).toMatchObject({ result: said("ok") });
    expect(events.filter(({ type }) => type === "call")).toHaveLength(2);
  });
});
