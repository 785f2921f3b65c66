import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { RULES, said, testProxy, textsOf } from "./test/proxy.ts";

const isElicitation = ({ method }: JsonObject) => method === "elicitation/create";

/** With a client that says what it can. */
function introduced(capabilities: object, more: Parameters<typeof testProxy>[0] = {}) {
  const proxy = testProxy({ agent: RULES, ...more });
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "c", version: "1" } };
  proxy.client.say({ jsonrpc: "2.0", id: "init", method: "initialize", params });
  proxy.server.heard.length = 0;
  return proxy;
}

describe("questions", () => {
  const FORM = { elicitation: { form: {} } };

  it.each([
    { answer: { action: "accept", content: { answer: "yes" } }, runs: true, says: "ok" },
    { answer: { action: "accept", content: { answer: "no" } }, runs: false, says: "A person was asked and said no" },
    { answer: { action: "decline" }, runs: false, says: "A person was asked and said no" },
    { answer: { action: "cancel" }, runs: false, says: "Waiting for a person's approval" },
    { answer: { action: "accept", content: {} }, runs: false, says: "Waiting for a person's approval" },
  ])("MC-7 a question is sent to the person behind the client: $answer", async ({ answer, runs, says }) => {
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

  it("ASK2-21 the form offers always only if the rule does, and the same call is then not asked again", async () => {
    const agent = RULES.replace('effect: ask, when: "true"', 'effect: ask, remember: session, when: "true"');
    const { client, server, call, play } = introduced(FORM, { agent });
    const id = call("pay", { amount: 7 });
    const asked = await client.hear(isElicitation);
    expect(JSON.stringify(asked.params)).toContain('"enum":["yes","no","always"]');
    client.say({ jsonrpc: "2.0", id: asked.id, result: { action: "accept", content: { answer: "always" } } });
    await server.hear(({ method }) => method === "tools/call");
    server.say({ jsonrpc: "2.0", id, result: said("ok") });
    expect(textsOf(await client.hear((one) => one.id === id))).toContain("ok");
    expect(textsOf(await play("pay", { amount: 7 }))).toBe("ok");
    call("pay", { amount: 8 });
    await client.hear(isElicitation);
  });

  it("MC-8 a person's no also applies when the same call is repeated, a yes applies once", async () => {
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

  it("MC-11 a cancelled call withdraws its form, and a late answer is dropped", async () => {
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
