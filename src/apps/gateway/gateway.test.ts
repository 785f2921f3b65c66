import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { demoAgent } from "../../edge/host/opening/demo-agent.ts";
import { openConductFromEnv } from "../../edge/host/opening/open-conduct.ts";
import { conductClient } from "./client.ts";
import { openGateway } from "./gateway.ts";
import { memoryGatewayStores } from "./test/test-gateway-stores.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function gatewayWorld() {
  const root = mkdtempSync(join(tmpdir(), "conduct-gw-"));
  const home = join(root, "home");
  const stores = memoryGatewayStores();
  const conduct = openConductFromEnv({ agents: [demoAgent()], home, workspace: root, journal: false });
  conduct.subscribe((event) => void stores.events.append([event]));
  const gateway = await openGateway({ conduct, stores, home, port: 0, report: () => undefined });
  closing.push(async () => {
    await gateway.close();
    await conduct.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { gateway, conduct, stores };
}

describe("the gateway over http", () => {
  it("GW-20 a login link works once, its cookie allows talking to the demo agent, and the stream has every moment", async () => {
    const { gateway } = await gatewayWorld();
    const code = new URL(await gateway.loginLink()).hash.replace("#code=", "");
    const sign = () =>
      fetch(`${gateway.url}/api/login`, {
        method: "POST",
        body: JSON.stringify({ code }),
        headers: { "content-type": "application/json" },
      });
    const signed = await sign();
    expect(signed.status).toBe(200);
    const cookie = signed.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict; Path=\//);
    expect((await sign()).status).toBe(401);
    const withCookie: typeof fetch = (input, init) =>
      fetch(input, { ...init, headers: { ...init?.headers, cookie: cookie.split(";")[0] ?? "" } });
    const client = conductClient({ url: gateway.url, fetch: withCookie });
    const session = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    const end = new AbortController();
    const heard: string[] = [];
    const following = (async () => {
      for await (const { event } of client.stream(
        "GET /api/sessions/{id}/stream",
        { params: { id: session.id } },
        end.signal,
      ))
        heard.push(event);
    })().catch(() => undefined);
    const turn = await client.call("POST /api/sessions/{id}/messages", {
      params: { id: session.id },
      query: { wait: "true" },
      body: { text: "deploy it" },
    });
    expect(turn).toMatchObject({ status: "complete", answer: "Done." });
    end.abort();
    await following;
    expect(new Set(heard)).toEqual(new Set(["turn", "event", "text"]));
    const { events } = await client.call("GET /api/sessions/{id}/events", {
      params: { id: session.id },
      query: { limit: 500 },
    });
    expect(events.filter(({ type }) => type === "call")).toHaveLength(5);
  });
});

describe("the API", () => {
  async function operator() {
    const world = await gatewayWorld();
    const { secret } = await world.gateway.access.newToken("operator", "test");
    return { ...world, client: conductClient({ url: world.gateway.url, token: secret }) };
  }

  it("GW-21 a directive added over the API is in the next prompt, a conflict has an error code, and undo removes it", async () => {
    const { client, gateway } = await operator();
    const session = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    const body = { type: "stop", text: "long status reports" } as const;
    const dry = await client.call("POST /api/contract/directives", { query: { dryRun: "true" }, body });
    expect(dry).toMatchObject({ outcome: "added", dryRun: true });
    expect((await client.call("GET /api/contract")).contract.version).toBe(0);
    await client.call("POST /api/contract/directives", { body });
    const conversation = (await client.call("GET /api/sessions")).sessions[0];
    if (conversation === undefined) throw new Error("the conversation is gone");
    const { text } = await (await gateway.conversations.session(session as never)).onPrompt();
    expect(text).toContain("- STOP: long status reports");
    await expect(
      client.call("POST /api/contract/directives", { body: { ...body, type: "keep" } }),
    ).rejects.toMatchObject({
      status: 409,
      code: "BEHAVIOR_CONFLICT",
    });
    await client.call("POST /api/contract/undo", { body: {} });
    expect((await client.call("GET /api/contract")).contract.directives).toEqual([]);
  });

  it("GW-23 a conversation can be classified again, and the coverage map is available", async () => {
    const { client } = await operator();
    const session = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    const params = { id: session.id };
    expect(await client.call("GET /api/sessions/{id}/classification", { params })).toEqual({ classification: null });
    const body = { text: "The deploy fails with a stack trace, please debug it" };
    await client.call("POST /api/sessions/{id}/messages", { params, query: { wait: "true" }, body });
    const looked = await client.call("POST /api/sessions/{id}/classification", { params });
    expect(looked.classification).toMatchObject({ topic: "debugging" });
    expect(await client.call("GET /api/coverage")).toHaveProperty("columns");
  });

  it("GW-22 an agent's new soul is a version in force at the next turn, and an invalid one is rejected with its faults", async () => {
    const { client, gateway } = await operator();
    const session = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    const put = (definition: { readonly [key: string]: string | number }, after: number) =>
      client.call("PUT /api/agents/{name}", { params: { name: "demo" }, body: { definition, after, reason: "try" } });
    expect(await put({ system_prompt: "You like trains." }, 0)).toMatchObject({
      version: 1,
      by: "operator",
      note: expect.stringContaining("soul"),
    });
    await expect(put({ soul: "x" }, 0)).rejects.toMatchObject({ status: 409, code: "MOVED" });
    await expect(put({ souls: "x" }, 1)).rejects.toMatchObject({ status: 422, code: "AGENT_INVALID" });
    await client.call("POST /api/sessions/{id}/messages", {
      params: { id: session.id },
      query: { wait: "true" },
      body: { text: "hello" },
    });
    const { text } = await (await gateway.conversations.session(session as never)).onPrompt();
    expect(text).toContain("You like trains.");
    await put({ soul: "You like boats." }, 1);
    const { lines } = await client.call("GET /api/agents/{name}/diff", {
      params: { name: "demo" },
      query: { from: 1, to: 2 },
    });
    expect(lines).toContainEqual({ kind: "new", text: '  "soul": "You like boats."' });
    expect(
      await client.call("POST /api/agents/{name}/rollback", {
        params: { name: "demo" },
        body: { to: 1, after: 2, reason: "boats sink" },
      }),
    ).toMatchObject({ version: 3 });
  });
});
