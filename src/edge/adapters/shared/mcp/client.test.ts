import { describe, expect, it } from "vitest";
import { side } from "../test/side.ts";
import { type ClientOptions, openClient } from "./client.ts";

const answer = (id: unknown, result: object) => ({ jsonrpc: "2.0", id, result });
const fault = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } });

function open(options: Partial<ClientOptions> = {}) {
  const { pipe, side: server } = side();
  const events: string[] = [];
  const opening = openClient(pipe, {
    version: "1.0.0",
    startMs: 5_000,
    onToolsChanged: () => events.push("changed"),
    onLost: (why) => events.push(`lost: ${why}`),
    ...options,
  });
  const hear = (method: string) => server.hear((one) => one.method === method);
  return { server, hear, opening, events };
}

/** A client of a server without a handshake. */
async function stateless() {
  const world = open();
  const { id } = await world.hear("server/discover");
  world.server.say(answer(id, { supportedVersions: ["2026-07-28"] }));
  return { ...world, client: await world.opening };
}

describe("the client of MCP servers", () => {
  it("MCC-1 a server without a handshake gets the version with every request", async () => {
    const { server, hear, client } = await stateless();
    const listing = client.tools(5_000);
    const first = await hear("tools/list");
    expect(JSON.stringify(first.params)).toContain("2026-07-28");
    server.say(answer(first.id, { tools: [{ name: "a", description: "A" }], nextCursor: "2" }));
    const second = await server.hear((one) => one.method === "tools/list" && one.id !== first.id);
    expect(second.params).toMatchObject({ cursor: "2" });
    server.say(answer(second.id, { tools: [{ name: "b", inputSchema: { type: "object" } }, { name: 7 }] }));
    expect((await listing).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("MCC-2 a server that refuses the first question gets a handshake", async () => {
    const { server, hear, opening, events } = open();
    server.say(fault((await hear("server/discover")).id, -32601, "what?"));
    const { id, params } = await hear("initialize");
    expect(params).toMatchObject({ protocolVersion: "2025-11-25", capabilities: {} });
    server.say(answer(id, { protocolVersion: "2025-11-25" }));
    await opening;
    await hear("notifications/initialized");
    server.say({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    server.say({ jsonrpc: "2.0", id: "s1", method: "ping" });
    server.say({ jsonrpc: "2.0", id: "s2", method: "sampling/createMessage", params: {} });
    expect(await server.hear((one) => one.id === "s1")).toMatchObject({ result: {} });
    expect(await server.hear((one) => one.id === "s2")).toMatchObject({ error: { code: -32601 } });
    expect(events).toEqual(["changed"]);
  });

  it("MCC-3 a server that fails both questions is not opened", async () => {
    const { server, hear, opening } = open();
    server.say(fault((await hear("server/discover")).id, -32601, "what?"));
    server.say(fault((await hear("initialize")).id, -32603, "no licence"));
    await expect(opening).rejects.toThrow("no licence");
  });

  it("MCC-4 a call without an answer in time is cancelled at the server", async () => {
    const { hear, client } = await stateless();
    await expect(client.call("slow", {}, { timeoutMs: 1 })).rejects.toThrow("no answer within 0.001 seconds");
    const { id } = await hear("tools/call");
    expect((await hear("notifications/cancelled")).params).toMatchObject({ requestId: id });
  });

  it("MCC-5 a server that leaves fails the waiting calls, and all later ones", async () => {
    const { server, hear, client, events } = await stateless();
    const calling = client.call("a", {}, { timeoutMs: 5_000 });
    calling.catch(() => undefined);
    await hear("tools/call");
    server.leave();
    await expect(calling).rejects.toThrow();
    await expect(client.call("a", {}, { timeoutMs: 5_000 })).rejects.toThrow();
    expect(events).toHaveLength(1);
  });
});
