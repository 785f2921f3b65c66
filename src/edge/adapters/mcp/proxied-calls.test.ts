import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { bound, testProxy, textsOf } from "./test-proxy.ts";

const RULES = `rules:
  - { id: test-first, on: desk/deploy, require: { call: desk/test } }
  - { id: person, on: desk/pay, effect: ask, when: "true", say: "Pay {{args.amount}}?" }
  - { id: short, on: desk/wait, set: { timeout: 60 } }
  - { id: care, on: desk/move, effect: warn, when: "true", say: "Move with care." }
trustedTools: [{ server: desk, tool: lookup }]
limits: { window: 4_000 }`;

const said = (text: string) => ({ content: [{ type: "text", text }] });
const LONG = said("word ".repeat(20_000));
const isElicitation = ({ method }: JsonObject) => method === "elicitation/create";

/** With a client that says what it can. */
function introduced(capabilities: object, more: Parameters<typeof testProxy>[0] = {}) {
  const proxy = testProxy({ agent: RULES, ...more });
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "c", version: "1" } };
  proxy.client.say({ jsonrpc: "2.0", id: "init", method: "initialize", params });
  proxy.server.heard.length = 0;
  return proxy;
}

describe("the moment call", () => {
  it("MC-1 a denied call never reaches the server; the model reads rule, reason and the next step", async () => {
    const { server, play } = testProxy({ agent: RULES });
    const denied = await play("deploy");
    expect(denied).toMatchObject({ result: { isError: true } });
    expect(textsOf(denied)).toMatch(/^Denied by test-first: .*\n(?:.*\n)*Next: /);
    expect(server.heard).toEqual([]);
    await play("test");
    expect(await play("deploy")).toMatchObject({ result: said("ok") });
  });

  it("MC-2 what was decided on is what runs: digit for digit, and nothing that was not read", async () => {
    const { client, server } = testProxy();
    const args = '{"id":18446744073709551615,"share":1.0,"x":1,"x":2}';
    client.say(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","arguments":${args},"_meta":{"a":1e3}}}`,
    );
    await expect.poll(() => server.heard).toHaveLength(1);
    expect(server.heard[0]).toContain('"arguments":{"id":18446744073709551615,"share":1.0,"x":2},"_meta":{"a":1e3}');
  });

  it("MC-3 rewritten arguments are the ones it runs with; the others stay as they were", async () => {
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
  ])("MC-4 a call with $what is refused", async ({ params }) => {
    const { client, server } = testProxy();
    client.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    expect(await client.hear()).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(server.heard).toEqual([]);
  });

  it("MC-5 while Conduct does not answer the call does not run, and everything else passes", async () => {
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

  it("MC-6 a turn that was ended runs nothing more, until the agent has come to rest", async () => {
    const { play, pass } = testProxy({ agent: RULES });
    const texts: string[] = [];
    for (let n = 0; n < 6; n++) texts.push(textsOf(await play("deploy")));
    expect(texts.at(-1)).toContain("the turn ends here");
    expect(textsOf(await play("test"))).toContain("Conduct has ended this turn");
    pass(61_000);
    expect(textsOf(await play("test"))).toBe("ok");
  });
});

describe("questions", () => {
  const FORM = { elicitation: { form: {} } };

  it.each([
    { answer: { action: "accept", content: { answer: "yes" } }, runs: true, says: "ok" },
    { answer: { action: "accept", content: { answer: "no" } }, runs: false, says: "A person was asked and said no" },
    { answer: { action: "decline" }, runs: false, says: "A person was asked and said no" },
    { answer: { action: "cancel" }, runs: false, says: "Waiting for a person's approval" },
    { answer: { action: "accept", content: {} }, runs: false, says: "Waiting for a person's approval" },
  ])("MC-7 are put to the person behind the client: $answer", async ({ answer, runs, says }) => {
    const { client, server, call } = introduced(FORM);
    const id = call("pay", { amount: 7 });
    const asked = await client.hear(isElicitation);
    expect(asked).toMatchObject({ params: { requestedSchema: { required: ["answer"] } } });
    expect(JSON.stringify(asked.params)).toContain("Pay 7?");
    client.say({ jsonrpc: "2.0", id: asked.id, result: answer });
    if (runs) {
      await server.hear(({ method }) => method === "tools/call");
      server.say({ jsonrpc: "2.0", id, result: said("ok") });
    }
    expect(textsOf(await client.hear((one) => one.id === id))).toContain(says);
    // Neither the answer to our question nor a call that was refused is the server's.
    expect(server.heard).toEqual([]);
  });

  it("MC-8 a person's no holds for the same call, and a yes for one", async () => {
    const { client, call, play } = introduced(FORM);
    call("pay", { amount: 7 }, "a");
    const first = await client.hear(isElicitation);
    client.say({ jsonrpc: "2.0", id: first.id, result: { action: "decline" } });
    await client.hear(({ id }) => id === "a");
    expect(textsOf(await play("pay", { amount: 7 }))).toContain("Denied by person");
  });

  it.each([{}, { elicitation: { url: {} } }])(
    "MC-9 a client with %j cannot ask: the model gets the approval's id",
    async (can) => {
      const { server, play } = introduced(can);
      expect(textsOf(await play("pay", { amount: 7 }))).toMatch(/Waiting for a person's approval a_\w+ \(person\)/);
      expect(server.heard).toEqual([]);
    },
  );

  it("MC-10 a later yes admits one identical call", async () => {
    const { play, live } = introduced({});
    const id = /approval (\S+) /.exec(textsOf(await play("pay", { amount: 7 })))?.[1] ?? "";
    live.resolve(id, "yes", "ann");
    expect(textsOf(await play("pay", { amount: 8 }))).toContain("Waiting");
    expect(textsOf(await play("pay", { amount: 7 }))).toBe("ok");
    expect(textsOf(await play("pay", { amount: 7 }))).toContain("Waiting");
  });

  it("MC-11 a call that is cancelled takes its form back; a late answer is nobody's", async () => {
    const { client, server, call, events } = introduced(FORM);
    call("pay", { amount: 7 }, "x");
    const asked = await client.hear(isElicitation);
    client.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "x" } });
    expect(await client.hear()).toMatchObject({ method: "notifications/cancelled", params: { requestId: asked.id } });
    client.say({ jsonrpc: "2.0", id: asked.id, result: { action: "accept", content: { answer: "yes" } } });
    await expect.poll(() => events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "cancelled" });
    expect([client.heard, server.heard]).toEqual([[], []]);
  });
});

describe("cancelling", () => {
  it("MC-12 a call that runs: the server is told, what became of it is unknown, its late result is dropped", async () => {
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

  it("MC-13 other requests: passed on, and no longer waited for", () => {
    const { client, server } = testProxy();
    client.say({ jsonrpc: "2.0", id: 1, method: "resources/read" });
    client.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(server.heard).toHaveLength(2);
    client.say({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect(server.heard).toHaveLength(3);
  });
});

describe("the moment result", () => {
  it("MC-14 an untouched result passes byte for byte", async () => {
    const { client, server, call } = testProxy();
    const id = call("get");
    await server.hear();
    const line = `{ "jsonrpc":"2.0", "id":${id}, "result":{"content":[], "structuredContent":{"n":18446744073709551615}} }`;
    server.say(line);
    await expect.poll(() => client.heard).toEqual([line]);
  });

  it("MC-15 a long one is cut, and read_result pages through the rest", async () => {
    const { play } = testProxy({ agent: RULES });
    const cut = textsOf(await play("get", {}, LONG));
    expect(cut.length).toBeLessThan(6_000);
    const [, handle, offset] = /read_result with \{"handle":"([^"]+)","offset":(\d+)\}/.exec(cut) ?? [];
    const page = textsOf(await play("read_result", { handle, offset: Number(offset) }));
    expect(page).toMatch(/^(?:word ?|ord )/);
    expect(page).toContain(`[characters ${offset} to `);
    expect(await play("read_result", { handle: "none" })).toMatchObject({ result: { isError: true } });
  });

  it("MC-16 an error of the server's is a failed call, and advice rides on results", async () => {
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

  it("MC-18 requirements of a trusted tool bind and are not shown; another tool's are only taken out", async () => {
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

  it("MC-19 what could not be checked is withheld, all of it", async () => {
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

  it("MC-20 in shadow everything is recorded and nothing is changed", async () => {
    const { play, events } = testProxy({ agent: RULES, session: { enforcement: "shadow" } });
    expect(await play("deploy", {}, LONG)).toMatchObject({ result: LONG });
    expect(await play("wait", { timeout: 900 })).toMatchObject({ result: said("ok") });
    expect(events.filter(({ type }) => type === "call")).toHaveLength(2);
  });
});

describe("steps and turns", () => {
  it("MC-21 calls that were sent before any result was back prove nothing to one another", async () => {
    const { client, server, call } = testProxy({ agent: RULES });
    call("test", {}, "t");
    await server.hear();
    call("deploy", {}, "d");
    expect(textsOf(await client.hear(({ id }) => id === "d"))).toContain("Denied by test-first");
    server.say({ jsonrpc: "2.0", id: "t", result: said("ok") });
    await client.hear(({ id }) => id === "t");
    call("deploy", {}, "e");
    expect(await server.hear()).toMatchObject({ id: "e" });
  });

  it("MC-22 a call that takes long keeps nothing from being proven meanwhile", async () => {
    const { server, call, play } = testProxy({ agent: RULES });
    call("slow", {}, "s");
    await server.hear(({ id }) => id === "s");
    await play("test");
    expect(textsOf(await play("deploy"))).toBe("ok");
  });

  it("MC-23 after a minute's rest, and after ten minutes in any case, results have their whole room again", async () => {
    const { play, pass } = testProxy({ agent: RULES });
    const size = async () => textsOf(await play("get", {}, LONG)).length;
    const full = await size();
    for (let n = 0; n < 3; n++) await size();
    expect(await size()).toBeLessThan(full / 2);
    pass(61_000);
    expect(await size()).toBe(full);
    for (let n = 0; n < 3; n++) await size();
    for (let n = 0; n < 11; n++) {
      pass(55_000);
      await play("test");
    }
    expect(await size()).toBe(full);
  });
});

describe("calls that are made into tasks", () => {
  const make = async (agent = RULES) => {
    const proxy = testProxy({ agent });
    const { client, server } = proxy;
    client.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "test", task: { ttl: 1 } } });
    await server.hear();
    server.say({ jsonrpc: "2.0", id: 1, result: { task: { taskId: "T", status: "working" } } });
    await client.hear(({ id }) => id === 1);
    return proxy;
  };
  const ask = async ({ client, server }: Awaited<ReturnType<typeof make>>, method: string, result: object) => {
    client.say({ jsonrpc: "2.0", id: method, method, params: { taskId: "T" } });
    await server.hear();
    server.say({ jsonrpc: "2.0", id: method, result });
    return client.hear(({ id }) => id === method);
  };

  it("MC-24 their results pass the moment result when they are fetched", async () => {
    const proxy = await make();
    expect(textsOf(await proxy.play("deploy"))).toContain("Denied by test-first");
    expect(textsOf(await ask(proxy, "tasks/result", LONG)).length).toBeLessThan(6_000);
    expect(textsOf(await proxy.play("deploy"))).toBe("ok");
  });

  it("MC-25 cancelled, they prove nothing", async () => {
    const proxy = await make();
    await ask(proxy, "tasks/cancel", { taskId: "T", status: "cancelled" });
    expect(proxy.events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
    expect(textsOf(await proxy.play("deploy"))).toContain("Denied by test-first");
  });

  it("MC-26 a server cannot make a task of a call that asked for none", async () => {
    const { client, server, call, events } = testProxy();
    const id = call("get");
    await server.hear();
    server.say({ jsonrpc: "2.0", id, result: { task: { taskId: "T" } } });
    await client.hear();
    expect(events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
  });
});
