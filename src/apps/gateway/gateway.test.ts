import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { demoAgent } from "../../edge/host/demo-agent.ts";
import { openConduct } from "../../edge/host/open-conduct.ts";
import { conductClient } from "./client.ts";
import { openGateway } from "./gateway.ts";
import { memoryGatewayStores } from "./test-gateway-stores.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function gatewayWorld() {
  const root = mkdtempSync(join(tmpdir(), "conduct-gw-"));
  const home = join(root, "home");
  const stores = memoryGatewayStores();
  const conduct = openConduct({ agents: [demoAgent()], home, workspace: root, journal: false });
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
  it("GW-20 a login link signs in once; the cookie talks to the demo agent, and every moment comes by the stream", async () => {
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
