import { type ExecFileException, execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { conductClient } from "../src/apps/gateway/client.ts";
import { findPostgres, startPostgres, type TestPostgres } from "../src/edge/stores/test/servers/postgres.ts";
import { freePort } from "../src/edge/stores/test/servers/server.ts";
import { type Replica, startReplica } from "./cluster/replica.ts";

const DEPLOY = join(import.meta.dirname, "../deploy");
const TOKEN = "a-token-for-the-test-of-backups";
const KEY = "cd".repeat(32);
const programs = findPostgres();
const closing: (() => unknown)[] = [];
let root = "";
let server: TestPostgres | undefined;

describe.runIf(programs !== undefined)("backup, restore and upgrade on PostgreSQL", () => {
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "conduct-backup-"));
    server = await startPostgres(programs ?? "");
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  const database = async () => (await server?.createDatabase()) ?? "";

  async function launch(store: string, env: NodeJS.ProcessEnv = {}): Promise<Replica> {
    const replica = startReplica({
      name: "gateway",
      home: mkdtempSync(join(root, "home-")),
      port: await freePort(),
      env: { ...process.env, CONDUCT_STORE: store, CONDUCT_TOKEN: TOKEN, CONDUCT_DATA_KEY: KEY, ...env },
    });
    closing.push(async () => {
      replica.signal("SIGKILL");
      await replica.ended;
    });
    return replica;
  }

  async function gateway(store: string) {
    const replica = await launch(store);
    await replica.ready();
    return { replica, client: conductClient({ url: replica.url, token: TOKEN }) };
  }

  it("BAK-01 a backup of a running gateway is restored whole: contract, conversations, users, journal", async () => {
    const [store, restored] = [await database(), await database()];
    const { client } = await gateway(store);
    await client.call("POST /api/contract/directives", { body: { type: "keep", text: "answer in plain words" } });
    await client.call("POST /api/users", { body: { id: "ann", name: "Ann", role: "user" } });
    const session = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    const say = (text: string, of = client) =>
      of.call("POST /api/sessions/{id}/messages", {
        params: { id: session.id },
        query: { wait: "true" },
        body: { text },
      });
    const turn = await say("remember that the dock is gate 9");
    const file = join(root, "store.backup");
    await run("backup.sh", file, store);
    expect(statSync(file).mode & 0o077).toBe(0);
    await say("a message after the backup");

    await run("restore.sh", file, restored);
    const second = await gateway(restored);
    const { contract } = await second.client.call("GET /api/contract");
    expect(JSON.stringify(contract)).toContain("answer in plain words");
    expect((await second.client.call("GET /api/governance")).status).toBe("ok");
    expect((await second.client.call("GET /api/users")).users.map(({ id }) => id)).toContain("ann");
    const { turns } = await second.client.call("GET /api/sessions/{id}", { params: { id: session.id } });
    expect(turns.map(({ id, text, answer }) => ({ id, text, answer }))).toEqual([
      { id: turn.id, text: "remember that the dock is gate 9", answer: turn.answer },
    ]);
    const next = await say("what do you remember about the dock?", second.client);
    expect(next.answer).toContain("gate 9");
  });

  it("BAK-02 the restored store refuses another data key, and names it", async () => {
    const [store, restored] = [await database(), await database()];
    const { replica } = await gateway(store);
    const file = join(root, "sealed.backup");
    await run("backup.sh", file, store);
    replica.signal("SIGTERM");
    await replica.ended;
    await run("restore.sh", file, restored);
    const wrong = await launch(restored, { CONDUCT_DATA_KEY: "ef".repeat(32) });
    expect(await wrong.ended).toBe(1);
    expect(wrong.output()).toMatch(/STORE_KEY/);
  });

  it("BAK-03 nothing is overwritten, and a damaged backup leaves the database empty", async () => {
    const [store, empty] = [await database(), await database()];
    await query(store, "create table kept (id integer)");
    const file = join(root, "once.backup");
    await run("backup.sh", file, store);
    await expect(run("backup.sh", file, store)).rejects.toThrow(/is not overwritten/);
    await expect(run("restore.sh", file, store)).rejects.toThrow(/The database has 1 tables/);
    const damaged = join(root, "damaged.backup");
    writeFileSync(damaged, "not a backup");
    await expect(run("restore.sh", damaged, empty)).rejects.toThrow(/pg_restore/);
    expect(await query(empty, "select 1 from pg_tables where schemaname = 'public'")).toEqual([]);
    const unreachable = join(root, "unreachable.backup");
    await expect(run("backup.sh", unreachable, "postgres://nobody@127.0.0.1:1/none")).rejects.toThrow(/pg_dump/);
    expect(statSync(unreachable, { throwIfNoEntry: false })).toBeUndefined();
  });

  it("UPG-01 a running gateway serves on after a newer version has added its tables; it does not start again", async () => {
    const store = await database();
    const { client, replica } = await gateway(store);
    const session = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    // As the first replica of the next version does it: forward only, and compatible with this version.
    await query(store, "create table conduct_of_the_next_version (id integer primary key)");
    await query(store, "alter table conduct_users add column of_the_next_version text");
    await query(store, `insert into conduct_migration (name, timestamp) values ('9999-next', '2027-01-01T00:00:00Z')`);
    await client.call("POST /api/users", { body: { id: "ben", name: "Ben", role: "user" } });
    const turn = await client.call("POST /api/sessions/{id}/messages", {
      params: { id: session.id },
      query: { wait: "true" },
      body: { text: "hello" },
    });
    expect(["complete", "answered"]).toContain(turn.status);
    replica.signal("SIGTERM");
    await replica.ended;
    const again = await launch(store);
    expect(await again.ended).toBe(1);
    expect(again.output()).toMatch(/STORE_NEWER/);
    expect(again.output()).toContain("9999-next");
  });
});

/** Runs a script of deploy/ on a database. Rejects with what it printed. */
async function run(script: string, file: string, store: string): Promise<void> {
  try {
    await promisify(execFile)(join(DEPLOY, script), [file], { env: { ...process.env, CONDUCT_STORE: store } });
  } catch (error) {
    throw new Error((error as ExecFileException).stderr?.toString() ?? "", { cause: error });
  }
}

async function query(url: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
