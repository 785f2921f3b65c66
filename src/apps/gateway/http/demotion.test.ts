import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Role } from "../../../base/words/hosting/user.ts";
import type { HostedRuntime } from "../runtimes/hosted.ts";
import { httpWorld } from "../test/test-http.ts";

/** Each turn waits at the gate and then says whether it is elevated; a `/elevated` message is answered at once. */
function gatedRuntime() {
  const turns: { readonly text: string; readonly open: () => void }[] = [];
  const runtime: HostedRuntime = {
    name: "gated",
    open: async ({ session }) => ({
      async prompt({ id: _id, ...message }, { signal }) {
        const { text } = message;
        const heard = await session.onMessage(message);
        if (heard.reply !== undefined) return { status: "answered", text: heard.reply, notes: [] };
        const gate = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => gate.resolve());
        turns.push({ text, open: () => gate.resolve() });
        await gate.promise;
        if (signal.aborted) return { status: "cancelled", text: "", notes: [] };
        return { status: "complete", text: session.modes.elevated ? "elevated" : "ordinary", notes: [] };
      },
      steer: () => false,
      close: async () => undefined,
    }),
  };
  return { turns, runtime };
}

describe("a demotion takes effect at once", () => {
  const { turns, runtime } = gatedRuntime();
  let world: Awaited<ReturnType<typeof httpWorld>>;
  beforeAll(async () => {
    // No heartbeat comes in time: only the demotion itself can end a stream.
    world = await httpWorld({ runtimeOf: () => runtime, heartbeatMs: 600_000 });
  });
  afterAll(() => world.close());

  let people = 0;
  async function operator() {
    const id = `op${people++}`;
    const { client, secret } = await world.person(id, "operator");
    return { id, client, secret };
  }
  async function setRole(id: string, role: Role): Promise<void> {
    const boss = await operator();
    await boss.client.call("PATCH /api/users/{id}", { params: { id }, body: { role } });
  }
  async function elevatedTurn(text: string) {
    const who = await operator();
    const { id: session } = await who.client.call("POST /api/sessions", { body: { agent: "demo" } });
    const say = (said: string, wait: boolean) =>
      who.client.call("POST /api/sessions/{id}/messages", {
        params: { id: session },
        query: { wait: String(wait) },
        body: { text: said },
      });
    await say("/elevated on", true);
    const first = say(text, true);
    await expect.poll(() => turns.some((turn) => turn.text === text), { timeout: 20_000 }).toBe(true);
    return { who, session, say, first, open: (said: string) => turns.find((turn) => turn.text === said)?.open() };
  }

  it("DEM-1 an elevated turn of a demoted operator continues without elevation", async () => {
    const { who, first, open } = await elevatedTurn("kept");
    open("kept");
    expect((await first).answer).toBe("elevated");
    const second = await elevatedTurn("demoted");
    await setRole(second.who.id, "user");
    second.open("demoted");
    expect((await second.first).answer).toBe("ordinary");
    expect(who.id).not.toBe(second.who.id);
  });

  it("DEM-2 a queued turn runs with the role that its sender has when it starts", async () => {
    const { who, say, first, open } = await elevatedTurn("runs");
    const queued = [await say("waits", false), await say("/elevated on and on", false)];
    await setRole(who.id, "user");
    open("runs");
    await first;
    for (const text of ["waits", "and on"]) {
      await expect.poll(() => turns.some((turn) => turn.text.includes(text)), { timeout: 20_000 }).toBe(true);
      turns.find((turn) => turn.text.includes(text))?.open();
    }
    for (const { id } of queued) {
      await expect
        .poll(async () => (await world.stores.conversations.turn(id))?.status, { timeout: 20_000 })
        .toBe("complete");
      expect((await world.stores.conversations.turn(id))?.answer).toBe("ordinary");
    }
  });

  it("DEM-3 the running and queued turns of a new viewer are cancelled", async () => {
    const { who, say, first } = await elevatedTurn("until viewer");
    const queued = await say("never runs", false);
    await setRole(who.id, "viewer");
    expect((await first).status).toBe("cancelled");
    expect((await world.stores.conversations.turn(queued.id))?.status).toBe("cancelled");
    expect(turns.some(({ text }) => text === "never runs")).toBe(false);
  });

  it("DEM-4 a demoted person's stream of another user's conversation ends and cannot be reopened", async () => {
    const uma = await world.person("uma", "user");
    const { id } = await uma.client.call("POST /api/sessions", { body: { agent: "demo" } });
    const who = await operator();
    const headers = { authorization: `Bearer ${who.secret}` };
    const stream = await fetch(`${world.gateway.url}/api/sessions/${id}/stream`, { headers });
    expect(stream.status).toBe(200);
    await setRole(who.id, "user");
    expect(await stream.text()).toBe("");
    expect((await fetch(`${world.gateway.url}/api/sessions/${id}/stream`, { headers })).status).toBe(404);
  });

  it("DEM-5 tokens and cookies have the new role from the next request on", async () => {
    const who = await operator();
    const cookie = await world.gateway.access.signIn(await world.gateway.access.loginCode(who.id));
    await setRole(who.id, "user");
    await expect(who.client.call("GET /api/users")).rejects.toMatchObject({ status: 403 });
    const headers = { cookie: `conduct_session=${cookie?.secret}` };
    expect((await fetch(`${world.gateway.url}/api/users`, { headers })).status).toBe(403);
  });

  it("DEM-6 a request whose body arrives after the demotion is checked with the new role", async () => {
    const who = await operator();
    const { host, hostname, port } = new URL(world.gateway.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const body = JSON.stringify({ id: `made-by-${who.id}`, name: "x", role: "operator" });
    const head = [
      "POST /api/users HTTP/1.1",
      `Host: ${host}`,
      `Authorization: Bearer ${who.secret}`,
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 10)}`);
    // Its first part is with the gateway when another request of this person was answered.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await who.client.call("GET /api/users");
    await setRole(who.id, "user");
    socket.write(body.slice(10));
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1.1 403/);
    expect(await world.stores.users.read(`made-by-${who.id}`)).toBeUndefined();
  });

  it("DEM-7 a stream ends at once when its key is deleted", async () => {
    const who = await operator();
    const headers = { authorization: `Bearer ${who.secret}` };
    const stream = await fetch(`${world.gateway.url}/api/stream`, { headers });
    const { keys } = await who.client.call("GET /api/users/{id}/keys", { params: { id: who.id } });
    const boss = await operator();
    await boss.client.call("DELETE /api/users/{id}/keys/{key}", { params: { id: who.id, key: keys[0]?.id ?? "" } });
    await stream.text();
    await expect(who.client.call("GET /api/me")).rejects.toMatchObject({ status: 401 });
  });
});
