import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { defineAgent } from "../../../../engine/agent/define-agent.ts";
import type { ConductClient } from "../../client.ts";
import { httpWorld } from "../../test/test-http.ts";

const SECRET = "hunter2hunter2hunter2";
const LINES = 4_000;

let world: Awaited<ReturnType<typeof httpWorld>>;
const clients = new Map<string, ConductClient>();
beforeAll(async () => {
  const reader = defineAgent({
    name: "reader",
    tools: [{ name: "read_file", args: ["path"], paths: { path: "read" } }],
    limits: { window: 4_000, toolResultShare: 0.1 },
  });
  world = await httpWorld({ agents: [reader] });
  for (const [id, role] of [
    ["uma", "user"],
    ["ulf", "user"],
    ["vic", "viewer"],
    ["olga", "operator"],
  ] as const)
    clients.set(id, (await world.person(id, role)).client);
});
afterAll(() => world.close());

function as(id: string): ConductClient {
  const found = clients.get(id);
  if (found === undefined) throw new Error(`nobody is called ${id}`);
  return found;
}

/** A session of uma's in which a long file was read: where its result is kept whole. */
async function cutResult(): Promise<{ readonly id: string; readonly handle: string }> {
  const work = join(`${world.home}-work`, "reader", "uma");
  mkdirSync(work, { recursive: true });
  const lines = Array.from({ length: LINES }, (_, at) => `line ${at} of the log`);
  lines[LINES / 2] = `password=${SECRET}`;
  writeFileSync(join(work, "big.txt"), lines.join("\n"));
  const { id } = await as("uma").call("POST /api/sessions", { body: { agent: "reader" } });
  await as("uma").call("POST /api/sessions/{id}/messages", {
    params: { id },
    query: { wait: "true" },
    body: { text: "read big.txt" },
  });
  const { events } = await as("uma").call("GET /api/sessions/{id}/events", { params: { id } });
  const [handle] = (events as unknown as readonly ConductEvent[]).flatMap((event) =>
    event.type === "result" ? event.truncation.flatMap((one) => one.handle ?? []) : [],
  );
  if (handle === undefined) throw new Error("nothing was cut");
  return { id, handle };
}

const ROUTE = "GET /api/sessions/{id}/results/{handle}";

describe("a result that was cut", () => {
  it("RR-1 a truncated result is read in redacted pages by its user, viewers and operators, also after a restart", async () => {
    const params = await cutResult();
    await world.restart();
    const client = (await world.person("uma", "user")).client;
    let text = "";
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: Awaited<ReturnType<typeof read>> = await read(offset);
      expect([page.handle, page.offset, page.text.length <= 10_000]).toEqual([params.handle, offset, true]);
      text += page.text;
      offset = page.next;
      if (offset === undefined) expect(text).toHaveLength(page.total);
    }
    async function read(offset: number) {
      return client.call(ROUTE, { params, query: { offset, limit: 10_000 } });
    }
    expect(text.startsWith("line 0 of the log\n")).toBe(true);
    expect(text.endsWith(`line ${LINES - 1} of the log`)).toBe(true);
    expect(text).not.toContain(SECRET);
    expect(text).toMatch(/password=\[redacted:[0-9a-f]{12}\]/);
    for (const [id, role] of [
      ["vic", "viewer"],
      ["olga", "operator"],
    ] as const) {
      const { client } = await world.person(id, role);
      clients.set(id, client);
      expect((await client.call(ROUTE, { params })).text).toContain("line 0 of the log");
    }
    clients.set("uma", client);
    clients.set("ulf", (await world.person("ulf", "user")).client);
  });

  it("RR-2 a truncated result is not found by another user, in another session or with another handle", async () => {
    const { id, handle } = await cutResult();
    const other = await as("ulf").call("POST /api/sessions", { body: { agent: "reader" } });
    const ask = (who: string, params: { readonly id: string; readonly handle: string }) =>
      as(who).call(ROUTE, { params });
    await expect(ask("ulf", { id, handle })).rejects.toMatchObject({ status: 404, code: "NOT_FOUND" });
    await expect(ask("ulf", { id: other.id, handle })).rejects.toMatchObject({ status: 404 });
    await expect(ask("olga", { id: "s_none", handle })).rejects.toMatchObject({ status: 404, code: "NOT_FOUND" });
    await expect(ask("olga", { id, handle: "../../x" })).rejects.toMatchObject({ status: 404, code: "RESULT_GONE" });
  });

  it("RR-3 an expired result is reported as gone, with advice on what to do", async () => {
    const params = await cutResult();
    const folder = join(world.home, "results");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".txt"));
    for (const name of files) utimesSync(join(folder, name), 1_000, 1_000);
    await expect(as("uma").call(ROUTE, { params })).rejects.toMatchObject({
      status: 404,
      code: "RESULT_GONE",
      fix: expect.stringContaining("Run the tool again"),
    });
  });

  it("RR-4 a truncated result is deleted with its session, also from the disk", async () => {
    const params = await cutResult();
    const before = readdirSync(join(world.home, "results")).length;
    await as("uma").call("DELETE /api/sessions/{id}", { params: { id: params.id } });
    await expect(as("olga").call(ROUTE, { params })).rejects.toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect(existsSync(join(world.home, "results"))).toBe(true);
    expect(readdirSync(join(world.home, "results"))).toHaveLength(before - 1);
  });

  it.each([{ limit: 99 }, { limit: 100_001 }, { offset: -1 }, { offset: 0.5 }])(
    "RR-5 a request for a result page with %j is rejected",
    async (query) => {
      const params = { id: "s", handle: "h" };
      await expect(as("olga").call(ROUTE, { params, query })).rejects.toMatchObject({ status: 400 });
    },
  );
});
