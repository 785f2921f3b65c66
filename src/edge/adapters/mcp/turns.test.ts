import { describe, expect, it } from "vitest";
import { LONG, RULES, said, testProxy, textsOf } from "./test/proxy.ts";

describe("steps and turns", () => {
  it("MC-21 calls sent before any result has arrived prove nothing for each other", async () => {
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

  it("MC-22 a slow call does not delay the evidence of others", async () => {
    const { server, call, play } = testProxy({ agent: RULES });
    call("slow", {}, "s");
    await server.hear(({ id }) => id === "s");
    await play("test");
    expect(textsOf(await play("deploy"))).toBe("ok");
  });

  it("MC-23 after a minute without calls, and after ten minutes in any case, the result budget restarts", async () => {
    const { play, pass } = testProxy({ agent: RULES });
    const size = async () => textsOf(await play("get", {}, LONG)).length;
    const full = await size();
    for (let n = 0; n < 3; n++) await size();
    expect(await size()).toBeLessThan(full / 2);
    pass(61_000);
    expect(await size()).toBeGreaterThan(full * 0.9);
    for (let n = 0; n < 3; n++) await size();
    for (let n = 0; n < 11; n++) {
      pass(55_000);
      await play("test");
    }
    expect(await size()).toBeGreaterThan(full * 0.9);
  });
});
