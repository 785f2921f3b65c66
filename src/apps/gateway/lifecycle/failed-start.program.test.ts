import { closeSync, cpSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import type { GatewayStores } from "../stores.ts";
import { memoryGatewayStores } from "../test/test-gateway-stores.ts";
import { httpWorld } from "../test/test-http.ts";
import { programWorld } from "./test/test-program.ts";

const PATIENT = 180_000;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The same stores, one method of which fails. */
function broken(stores: GatewayStores, port: keyof GatewayStores, method: string, error: Error): GatewayStores {
  const failing = new Proxy(stores[port], {
    get: (target, name) => (name === method ? () => Promise.reject(error) : Reflect.get(target, name)),
  });
  return { ...stores, [port]: failing };
}

describe("a step of the start that fails", () => {
  it.each([
    ["the operator's account", "users", "read"],
    ["the operator's account, written", "users", "add"],
    ["agents", "agents", "list"],
    ["turns to recover", "conversations", "openTurns"],
    ["schedule runs to recover", "schedules", "unfinished"],
    ["open questions", "events", "unanswered"],
    ["schedules of conduct.yaml", "schedules", "list"],
  ] as const)(
    "LIF-1 a start that fails at %s closes everything and throws the original error",
    async (_, port, method) => {
      const error = new StoreError("STORE_DAMAGED", "The store is damaged", "Put back a copy.");
      const stores = memoryGatewayStores();
      const listened: string[] = [];
      const start = httpWorld({
        stores: broken(stores, port, method, error),
        onListening: async ({ url }) => void listened.push(url),
        definitions: { demo: {} },
      });
      await expect(start).rejects.toBe(error);
      expect(listened).toEqual([]);
    },
  );

  it("LIF-2 a failure after the port was bound frees the port, and no queued turn runs", async () => {
    const stores = memoryGatewayStores();
    const turn = { id: "t1", conversation: "s1", text: "hello", at: 1, status: "queued" as const };
    await stores.conversations.create({ id: "s1", agent: "demo", user: "ann", channel: "web", at: 1, lastAt: 1 });
    await stores.conversations.addTurn(turn);
    let url = "";
    const start = httpWorld({
      stores,
      async onListening(at) {
        url = at.url;
        expect((await fetch(`${url}/api/health`)).ok).toBe(true);
        throw new Error("the disk is full");
      },
    });
    await expect(start).rejects.toThrow("the disk is full");
    await expect(fetch(`${url}/api/health`)).rejects.toThrow();
    expect(await stores.conversations.turn("t1")).toEqual(turn);
  });

  it("LIF-3 a conversation that cannot be opened fails its own turn and not the start", async () => {
    const stores = memoryGatewayStores();
    for (const [id, agent] of [
      ["s1", "removed-agent"],
      ["s2", "demo"],
    ] as const) {
      await stores.conversations.create({ id, agent, user: "ann", channel: "web", at: 1, lastAt: 1 });
      await stores.conversations.addTurn({ id: `t-${id}`, conversation: id, text: "hello", at: 1, status: "queued" });
    }
    const world = await httpWorld({ stores });
    closing.push(() => world.close());
    await expect
      .poll(async () => (await stores.conversations.turn("t-s2"))?.status, { timeout: 20_000 })
      .toBe("complete");
    expect(await stores.conversations.turn("t-s1")).toMatchObject({
      status: "failed",
      why: expect.stringContaining("removed-agent"),
    });
  });
});

/** A home as a gateway left it, everything in one file. */
async function usedHome() {
  const world = programWorld(closing);
  const first = await world.start();
  const { id } = await first.client.call("POST /api/sessions", { body: { agent: "demo" } });
  const body = { text: "hello" };
  await first.client.call("POST /api/sessions/{id}/messages", { params: { id }, query: { wait: "true" }, body });
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  const database = new DatabaseSync(join(world.home, "conduct.db"));
  database.exec("pragma wal_checkpoint(truncate)");
  return { ...world, database };
}

/** It has said what is wrong once, ended with 1, and answers nowhere. */
async function expectGone(program: ReturnType<ReturnType<typeof programWorld>["launch"]>): Promise<string> {
  const started = program.line('"event":"started"').then(
    () => "it serves",
    () => "it ended",
  );
  expect(await Promise.race([program.ended, started]), program.output()).not.toBe("it serves");
  expect(await program.ended).toBe(1);
  expect(program.output().match(/"ok": false/g)).toHaveLength(1);
  return program.output();
}

describe("the shipped gateway on a home that cannot be used", () => {
  it(
    "LIF-4 a damaged page, missing table, used port or blocking file is reported once, and the gateway exits with code 1",
    async () => {
      const { home, database, launch } = await usedHome();
      const root = database
        .prepare("select rootpage from sqlite_master where name = 'conduct_turns_open'")
        .get()?.rootpage;
      const size = Number(database.prepare("pragma page_size").get()?.page_size);
      database.close();
      const copy = (name: string) => {
        cpSync(home, `${home}-${name}`, { recursive: true });
        return `${home}-${name}`;
      };

      const damaged = copy("damaged");
      const handle = openSync(join(damaged, "conduct.db"), "r+");
      writeSync(handle, Buffer.alloc(size, 0xa5), 0, size, (Number(root) - 1) * size);
      closeSync(handle);
      expect(await expectGone(launch({ CONDUCT_HOME: damaged }))).toContain("STORE_DAMAGED");

      for (const table of ["conduct_turns", "conduct_schedule_runs"]) {
        const dropped = copy(table);
        const lesser = new DatabaseSync(join(dropped, "conduct.db"));
        lesser.exec(`drop table ${table}`);
        lesser.close();
        expect(await expectGone(launch({ CONDUCT_HOME: dropped }))).toContain(table);
      }

      const other = createServer().listen(0, "127.0.0.1");
      closing.push(() => other.close());
      await new Promise((resolve) => other.once("listening", resolve));
      const { port } = other.address() as { readonly port: number };
      expect(await expectGone(launch({}, ["--port", String(port)]))).toContain("PORT_TAKEN");
      expect(existsSync(join(home, "run", "gateway.json"))).toBe(false);

      const blocked = copy("blocked");
      rmSync(join(blocked, "run"), { recursive: true });
      writeFileSync(join(blocked, "run"), "not a folder");
      await expectGone(launch({ CONDUCT_HOME: blocked }));
    },
    PATIENT,
  );

  it(
    "LIF-5 SIGTERM ends a start that waits for an unresponsive database at once",
    async () => {
      const silent = createServer(() => undefined).listen(0, "127.0.0.1");
      closing.push(() => silent.close());
      const asked = new Promise((resolve) => silent.once("connection", resolve));
      await new Promise((resolve) => silent.once("listening", resolve));
      const { port } = silent.address() as { readonly port: number };
      const { launch } = programWorld(closing);
      const program = launch({ CONDUCT_STORE: `postgres://conduct:secret@127.0.0.1:${port}/conduct` });
      await asked;
      program.child.kill("SIGTERM");
      expect(await program.ended).toBe(0);
      expect(program.output()).not.toContain("secret");
    },
    PATIENT,
  );
});
