import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";
import { findPostgres, startPostgres, type TestPostgres } from "../src/edge/stores/test/servers/postgres.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  const programs = findPostgres();
  if (programs === undefined) throw new Error("PostgreSQL is needed");
  postgres = await startPostgres(programs);
});
afterAll(() => postgres.stop());

/** A machine whose store is a database, and a connection of our own to it. */
async function newPlace() {
  const url = await postgres.createDatabase();
  const machine = new Machine({ CONDUCT_STORE: url, KEY: "none" });
  onTestFinished(() => machine.close());
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  machine.onClose(() => database.end());
  return { machine, database };
}

/**
 * While nobody can write events, nothing is answered; then the stop of the session is in the database. A store that
 * answers at once would hide that an answer does not wait for it.
 */
async function waitsForEvents(database: pg.Client, session: string, answer: () => Promise<unknown>): Promise<void> {
  await database.query("begin; lock table conduct_events in exclusive mode");
  let isAnswered = false;
  const answered = answer().then(() => {
    isAnswered = true;
  });
  await sleep(2_000);
  expect(isAnswered).toBe(false);
  await database.query("commit");
  await answered;
  const { rows } = await database.query("select type from conduct_events where session = $1", [session]);
  expect(rows.map(({ type }) => type)).toContain("stop");
}

describe("a turn that has ended is in the store", () => {
  wired([], "WIR-782 when a caller has the gateway's answer, another process finds the whole turn", async () => {
    const { machine, database } = await newPlace();
    const model = await machine.model([{ text: "Good morning." }]);
    const own = `{ baseUrl: "${model.openaiUrl}", api: openai-completions, key: KEY }`;
    machine.write({
      ".conduct/conduct.yaml": `agents: { clerk: { model: own/one } }\nmodels: { own/one: ${own} }\n`,
    });
    const { operator } = await machine.gateway();
    const { id } = await operator.call("POST /api/sessions", { body: { agent: "clerk" } });
    const wait = { params: { id }, query: { wait: "true" }, body: { text: "hello" } } as const;
    await waitsForEvents(database, id, () => operator.call("POST /api/sessions/{id}/messages", wait));
  });

  wired([], "WIR-783 when the daemon has answered a stop, another process finds it", async () => {
    const { machine, database } = await newPlace();
    machine.write({ ".conduct/conduct.yaml": "agents: { clerk: {} }\n" });
    machine.onClose(() => machine.conduct(["daemon", "stop"]));
    await machine.conduct(["daemon", "start"]);
    const { port, token } = JSON.parse(machine.read(".conduct/daemon.json")) as { port: number; token: string };
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const ask = async (path: string, body: object) => {
      const url = `http://127.0.0.1:${port}/api/v1/sessions${path}`;
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      expect(answer.ok, await answer.clone().text()).toBe(true);
      return (await answer.json()) as { readonly session: string };
    };
    const { session } = await ask("", { cwd: machine.work });
    await ask(`/${session}/message`, { text: "begin" });
    await waitsForEvents(database, session, () => ask(`/${session}/stop`, {}));
  });
});
