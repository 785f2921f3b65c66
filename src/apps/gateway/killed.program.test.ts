import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { findPostgres, startPostgres, type TestPostgres } from "../../edge/stores/test/servers/postgres.ts";
import { type ModelServer, startModelServer } from "../../testing/test/model-server/index.ts";
import { conductClient } from "./client.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const TOKEN = "a-token-for-the-test-of-a-killed-gateway";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const configOf = (server: ModelServer) => `
agents:
  clerk:
    model: own/scripted
    tools: [{ name: shell, args: [command] }]
    actions:
      prove: { tool: shell, command: "echo proof *" }
      ship: { tool: shell, command: "echo ship *" }
    rules:
      - { id: ship-needs-proof, on: ship, require: prove }
      - { id: ship-once, on: ship, atMost: { count: 1 } }
models:
  own/scripted: { baseUrl: "${server.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }
`;

/** The real program on a home of its own, as often as it is started. */
function world(server: ModelServer, store: { readonly CONDUCT_STORE?: string }) {
  const root = mkdtempSync(join(tmpdir(), "conduct-killed-"));
  const home = join(root, "home");
  mkdirSync(home);
  writeFileSync(join(home, "conduct.yaml"), configOf(server));
  closing.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const { CONDUCT_STORE: _, ...inherited } = process.env;
  const env = { ...inherited, CONDUCT_HOME: home, CONDUCT_TOKEN: TOKEN, SCRIPTED_KEY: "none", ...store };
  const folder = join(`${home}-work`, "clerk", "operator");

  async function start() {
    const args = [conductProgram(), "gateway", "--port", "0", "--json"];
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    closing.push(() => kill(child));
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const { url, recovered } = JSON.parse(line) as { readonly url: string; readonly recovered: unknown };
    return { child, recovered, client: conductClient({ url, token: TOKEN }) };
  }

  return { start, home, folder, ran: () => read(join(folder, "ran.txt")) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const shell = (command: string) => ({ calls: [{ name: "shell", input: { command } }] });

/** `proof`: what the call says that proves; with a long one the state is large, and kept as what has changed. */
async function killInTheMiddle(store: { readonly CONDUCT_STORE?: string }, proof = "enough"): Promise<string> {
  const server = await startModelServer({
    script: [
      shell("echo ship early"),
      shell(`echo proof ${proof}`),
      // The sandbox ends it with the gateway; without a sandbox it goes on until its folder goes.
      shell("echo ship one >> ran.txt; while [ -e ran.txt ] && [ ! -e go ]; do sleep 0.05; done"),
    ],
  });
  closing.push(() => server.close());
  const { start, home, folder, ran } = world(server, store);
  const first = await start();
  const { id } = await first.client.call("POST /api/sessions", { body: { agent: "clerk" } });
  // Lets go of a command that was left behind where there is no sandbox.
  closing.push(() => writeFileSync(join(folder, "go"), ""));
  await first.client.call("POST /api/sessions/{id}/messages", { params: { id }, body: { text: "ship it" } });
  await expect.poll(ran, { timeout: PATIENT / 2 }).toBe("ship one\n");
  await kill(first.child);
  const changes = store.CONDUCT_STORE === undefined ? changesIn(join(home, "conduct.db")) : "not looked at";

  const second = await start();
  // On PostgreSQL, other gateways may run: the killed one counts as dead when its heartbeat is too old.
  if (store.CONDUCT_STORE === undefined) expect(second.recovered).toEqual({ interrupted: 1, requeued: 0 });
  const turns = async () => (await second.client.call("GET /api/sessions/{id}", { params: { id } })).turns;
  const why = expect.stringContaining("Send the message again");
  await expect.poll(turns, { timeout: PATIENT / 2 }).toMatchObject([{ status: "interrupted", why }]);
  server.setScript([shell("echo ship two >> ran.txt"), { text: "It is out already." }]);
  const again = await second.client.call("POST /api/sessions/{id}/messages", {
    params: { id },
    query: { wait: "true" },
    body: { text: "well?" },
  });
  expect(again).toMatchObject({ status: "complete", answer: "It is out already." });
  expect(ran()).toBe("ship one\n");
  await kill(second.child);
  // Killed right after the answer: what it decided is there all the same.
  const third = await start();
  const { events } = await third.client.call("GET /api/sessions/{id}/events", { params: { id } });
  const decided = events
    .toReversed()
    .flatMap((event) => (event.type === "call" ? [event.decision as { kind: string; rule?: string }] : []));
  // What was proven before the kill still holds, and the call that was under way counts as made.
  expect(decided.at(-1)).toMatchObject({ kind: "deny", rule: "ship-once" });
  const results = events.flatMap((event) => (event.type === "result" ? [event.outcome] : []));
  expect(results).toContain("unknown");
  return changes;
}

/** Whether a state was kept as what has changed. */
function changesIn(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare("select count(*) as count from conduct_kept_changes").get();
  database.close();
  return Number(row?.count) > 0 ? "some" : "none";
}

describe("a gateway that is killed in the middle of a call", () => {
  it.each([
    { state: "small", proof: "enough", changes: "none" },
    { state: "large", proof: "x".repeat(40_000), changes: "some" },
  ])(
    "GW-39 after a kill with SQLite and a $state state, evidence, calls and budget survive, and nothing runs twice",
    async ({ proof, changes }) => expect(await killInTheMiddle({}, proof)).toBe(changes),
    PATIENT,
  );

  const programs = findPostgres();
  describe.skipIf(programs === undefined)("with PostgreSQL", () => {
    let server: TestPostgres;
    beforeAll(async () => {
      server = await startPostgres(programs ?? "", { durable: true });
      return () => server.stop();
    });
    it.each([
      ["small", "enough"],
      ["large", "x".repeat(40_000)],
    ])(
      "GW-39 after a kill with PostgreSQL and a %s state, evidence, calls and budget survive, and nothing runs twice",
      async (_, proof) => void (await killInTheMiddle({ CONDUCT_STORE: await server.createDatabase() }, proof)),
      PATIENT,
    );
  });
});
