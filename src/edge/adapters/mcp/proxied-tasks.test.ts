import { describe, expect, it } from "vitest";
import { LONG, RULES, testProxy, textsOf } from "./test/proxy.ts";

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
