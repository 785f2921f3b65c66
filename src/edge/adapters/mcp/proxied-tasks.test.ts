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

  it("MC-24 the result of a task is checked and shortened when it is fetched", async () => {
    const proxy = await make();
    expect(textsOf(await proxy.play("deploy"))).toContain("Denied by test-first");
    expect(textsOf(await ask(proxy, "tasks/result", LONG)).length).toBeLessThan(6_000);
    expect(textsOf(await proxy.play("deploy"))).toBe("ok");
  });

  it("MC-25 a cancelled task proves nothing", async () => {
    const proxy = await make();
    await ask(proxy, "tasks/cancel", { taskId: "T", status: "cancelled" });
    expect(proxy.events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
    expect(textsOf(await proxy.play("deploy"))).toContain("Denied by test-first");
  });

  it("MC-26 a server cannot turn a call into a task unless the client asked for it", async () => {
    const { client, server, call, events } = testProxy();
    const id = call("get");
    await server.hear();
    server.say({ jsonrpc: "2.0", id, result: { task: { taskId: "T" } } });
    await client.hear();
    expect(events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
  });
});
