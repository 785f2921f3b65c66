import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parseConfig } from "../../../../engine/agent/config/parse-config.ts";
import { httpWorld } from "../../test/test-http.ts";

const MOST = 3;
/** Rarely enough for the limit on requests. */
const PATIENT = { timeout: 20_000, interval: 300 };
let world: Awaited<ReturnType<typeof httpWorld>>;
beforeAll(async () => {
  world = await httpWorld({ streams: MOST });
});
afterAll(() => world.close());

type Person = Awaited<ReturnType<(typeof world)["person"]>>;

async function open(secret: string, path = "/api/stream") {
  const end = new AbortController();
  const response = await fetch(`${world.gateway.url}${path}`, {
    headers: { authorization: `Bearer ${secret}` },
    signal: end.signal,
  });
  return { status: response.status, response, close: () => end.abort() };
}

/** All that somebody can open at once; they are closed again. */
async function room({ secret }: Person): Promise<number> {
  const opened = await Promise.all(Array.from({ length: MOST + 2 }, () => open(secret)));
  for (const { close } of opened) close();
  return opened.filter(({ status }) => status === 200).length;
}

/** Asked until all that were closed are known to be. */
const expectRoom = (person: Person) => expect.poll(() => room(person), PATIENT).toBe(MOST);

describe("streams of one user", () => {
  it("STR-1 streams are limited per user across all routes and keys, and other users have their own limit", async () => {
    const olga = await world.person("olga", "operator");
    const session = await olga.client.call("POST /api/sessions", { body: { agent: "demo" } });
    const { token } = await olga.client.call("POST /api/users/{id}/tokens", {
      params: { id: "olga" },
      body: { label: "another" },
    });
    const opened = [
      await open(olga.secret),
      await open(token),
      await open(olga.secret, `/api/sessions/${session.id}/stream`),
    ];
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = await open(token);
    expect([refused.status, await refused.response.json()]).toEqual([
      429,
      expect.objectContaining({ code: "TOO_MANY_STREAMS", most: MOST, fix: expect.stringContaining("Close a tab") }),
    ]);
    // Everything else goes on, and somebody else is not in the way.
    expect((await olga.client.call("GET /api/me")).id).toBe("olga");
    const vic = await world.person("vic", "viewer");
    const other = await open(vic.secret);
    expect(other.status).toBe(200);
    // What a stream tells is heard by those that are open.
    const reader = opened[0]?.response.body?.getReader();
    await olga.client.call("POST /api/sessions/{id}/messages", { params: { id: session.id }, body: { text: "hello" } });
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(session.id);
    opened[0]?.close();
    await expect
      .poll(async () => {
        const again = await open(olga.secret);
        again.close();
        return again.status;
      }, PATIENT)
      .toBe(200);
    for (const { close } of [...opened, other]) close();
    await expectRoom(olga);
  });

  it("STR-2 a broken connection frees its stream slot", async () => {
    const person = await world.person("hanna", "viewer");
    const { hostname, port } = new URL(world.gateway.url);
    const request = `GET /api/stream HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${person.secret}\r\n\r\n`;
    const breaks: readonly ((socket: ReturnType<typeof connect>) => Promise<unknown> | undefined)[] = [
      () => undefined,
      () => new Promise((resolve) => setImmediate(resolve)),
      () => new Promise((resolve) => setTimeout(resolve, 3)),
      (socket) => once(socket, "data"),
    ];
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        breaks.map(async (moment) => {
          const socket = connect(Number(port), hostname);
          socket.on("error", () => undefined);
          await once(socket, "connect");
          socket.write(request);
          await moment(socket);
          socket.resetAndDestroy();
        }),
      );
    }
    await expectRoom(person);
  });

  it("STR-3 a HEAD request takes no stream slot, and a failed subscription frees its slot", async () => {
    const person = await world.person("hugo", "viewer");
    for (let at = 0; at < MOST * 2; at++) {
      const headers = { authorization: `Bearer ${person.secret}` };
      const head = await fetch(`${world.gateway.url}/api/stream`, { method: "HEAD", headers });
      expect(head.status).toBe(200);
    }
    const { updates } = world.gateway.conversations;
    const subscribe = vi.spyOn(updates, "subscribe").mockImplementation(() => {
      throw new Error("cannot be followed");
    });
    for (let at = 0; at < MOST * 2; at++) {
      const { response, status } = await open(person.secret);
      expect(status).toBe(500);
      expect(await response.json()).toMatchObject({ code: "INTERNAL" });
    }
    subscribe.mockRestore();
    await expectRoom(person);
    expect(world.reported.splice(0)).toContain("cannot be followed");
  });

  it.each([
    ["7", 7],
    ["0", undefined],
    ["many", undefined],
  ])("STR-4 gateway.streams in conduct.yaml must be a positive number: %s", (text, streams) => {
    const parsed = parseConfig(`agents: { a: {} }\ngateway: { streams: ${text} }\n`, "conduct.yaml");
    if (streams === undefined) expect(parsed).toMatchObject({ faults: [expect.objectContaining({ line: 2 })] });
    else expect(parsed).toMatchObject({ gateway: { streams } });
  });
});
