import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, expect, it, vi } from "vitest";
import { openDatabase } from "../../../edge/stores/sql/open-database.ts";
import { conductClient } from "../client.ts";
import type { HostedRuntime } from "../runtimes/hosted.ts";
import { startGateway } from "../start-gateway.ts";
import { memoryGatewayStores } from "../test/test-gateway-stores.ts";
import { httpWorld } from "../test/test-http.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it("GW-50 a conversation deleted right after its turn leaves no row, and data of other conversations stays", async () => {
  const root = mkdtempSync(join(tmpdir(), "conduct-delete-"));
  closing.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const home = join(root, "home");
  const started = await startGateway({ home, env: {}, port: 0, report: () => undefined });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await started.close();
    isOpen = false;
  };
  closing.push(close);
  const { secret } = await started.gateway.access.newToken("operator", "test");
  const client = conductClient({ url: started.gateway.url, token: secret });
  const talk = async (text: string) => {
    const { id } = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    const params = { id };
    await client.call("POST /api/sessions/{id}/messages", { params, query: { wait: "true" }, body: { text } });
    return params;
  };
  const stays = await talk("hello");
  const gone = await talk("the word is swordfish, deploy it");
  const folders = join(`${home}-work`, "demo");
  expect(readdirSync(folders).toSorted()).toEqual([stays.id, gone.id].toSorted());
  expect(await client.call("DELETE /api/sessions/{id}", { params: gone })).toEqual({ deleted: true });
  expect(readdirSync(folders)).toEqual([stays.id]);
  await expect(client.call("GET /api/sessions/{id}", { params: gone })).rejects.toMatchObject({ status: 404 });
  const body = { text: "still there?" };
  await expect(client.call("POST /api/sessions/{id}/messages", { params: gone, body })).rejects.toMatchObject({
    status: 404,
  });
  expect((await client.call("GET /api/sessions/{id}", { params: stays })).turns).toHaveLength(1);
  await close();
  const { db } = await openDatabase({ kind: "sqlite", file: join(home, "conduct.db") });
  closing.push(() => db.destroy());
  const { rows: tables } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db);
  // The words of the index are in no order of their own; they go with their rows.
  const named = tables.filter(({ name }) => name.startsWith("conduct_") && !name.includes("_words"));
  const found: string[] = [];
  for (const { name } of named) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    if (["swordfish", gone.id].some((word) => JSON.stringify(rows).includes(word))) found.push(name);
  }
  expect(found).toEqual([]);
  expect(named.length).toBeGreaterThan(15);
});

/** Its turns last until they are ended, and write a file even then. */
function endless(started: () => void): HostedRuntime {
  return {
    name: "endless",
    open: async ({ workspace }) => ({
      async prompt(_message, { signal }) {
        started();
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        writeFileSync(join(workspace, "late.txt"), "written by a turn that was told to end");
        return { status: "cancelled", text: "", notes: [] };
      },
      steer: () => false,
      close: async () => undefined,
    }),
  };
}

it("GW-51 deleting a conversation during a turn ends the turn first, then deletes its files, and starts no further turn", async () => {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const stores = memoryGatewayStores();
  const world = await httpWorld({ stores, runtimeOf: () => endless(resolve) });
  closing.push(() => world.close());
  const { client } = await world.person("uma", "user");
  const { id } = await client.call("POST /api/sessions", { body: { agent: "demo" } });
  const params = { id };
  const say = (text: string) => client.call("POST /api/sessions/{id}/messages", { params, body: { text } });
  await say("go");
  await say("and this, afterwards");
  await started;
  const remove = vi.spyOn(stores.sessions, "remove").mockRejectedValueOnce(new Error("away"));
  const refused = Promise.withResolvers<unknown>();
  remove.mockImplementationOnce(async () => refused.resolve(await say("in the middle").catch((error) => error)));
  // It fails half-way: whoever may delete it can do so again.
  await expect(client.call("DELETE /api/sessions/{id}", { params })).rejects.toMatchObject({ status: 500 });
  const { turns } = await client.call("GET /api/sessions/{id}", { params });
  expect(turns.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  expect(await client.call("DELETE /api/sessions/{id}", { params })).toEqual({ deleted: true });
  expect(await refused.promise).toMatchObject({ status: 429, message: expect.stringContaining("being deleted") });
  expect(existsSync(join(world.root, "home-work", "demo", id))).toBe(false);
  expect(readdirSync(join(world.root, "home-work", ".deleted"))).toEqual([]);
  await expect(say("still there?")).rejects.toMatchObject({ status: 404 });
  expect(await stores.conversations.openTurns()).toEqual([]);
  expect(world.gateway.conversations.live).toBe(0);
});
