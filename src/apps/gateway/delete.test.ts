import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, expect, it } from "vitest";
import { openDatabase } from "../../edge/stores/sql/open-database.ts";
import { conductClient } from "./client.ts";
import { startGateway } from "./start-gateway.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it("GW-50 a conversation that is deleted right after its turn leaves no row, and what others have stays", async () => {
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
  expect(await client.call("DELETE /api/sessions/{id}", { params: gone })).toEqual({ deleted: true });
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
