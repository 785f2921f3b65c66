import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { findInFiles, NEEDLES, SECRET_TEXT } from "../../edge/stores/seal/test/secrets.ts";
import { findPostgres, startPostgres } from "../../edge/stores/test/servers/postgres.ts";
import { type ModelServer, startModelServer } from "../../testing/test/model-server/index.ts";
import { conductClient } from "./client.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const TOKEN = "a-token-for-the-test-of-secrets-at-rest";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const configOf = (server: ModelServer) => `
agents:
  clerk:
    model: own/scripted
    tools: [{ name: shell, args: [command] }]
    memory: preload
    limits: { window: 20000, toolResultShare: 0.1 }
    actions: { pay: { tool: shell, command: "pay *" } }
    rules: [{ id: pay-asks, on: pay, effect: ask, when: "true", say: "Pay {{args.command}}?" }]
models:
  own/scripted: { baseUrl: "${server.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }
`;

async function world(store: NodeJS.ProcessEnv = {}) {
  const server = await startModelServer({ script: [] });
  const root = mkdtempSync(join(tmpdir(), "conduct-at-rest-"));
  closing.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  closing.push(() => server.close());
  const [home, keys] = [join(root, "home"), join(root, "keys")];
  mkdirSync(home);
  writeFileSync(join(home, "conduct.yaml"), configOf(server));
  const own = { CONDUCT_HOME: home, CONDUCT_KEYS: keys, CONDUCT_TOKEN: TOKEN, SCRIPTED_KEY: "none" };
  const env = { ...process.env, ...own, ...store };

  function launch(): ChildProcess {
    const child = spawn(process.execPath, [conductProgram(), "gateway", "--port", "0", "--json"], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    closing.push(() => kill(child));
    return child;
  }

  async function start() {
    const child = launch();
    child.stderr?.resume();
    const [line] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), "line")) as [string];
    const { url } = JSON.parse(line) as { readonly url: string };
    return { child, client: conductClient({ url, token: TOKEN }) };
  }

  /** Starts it where it must not start. */
  async function refused(): Promise<{ readonly code: number | null; readonly said: string }> {
    const child = launch();
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (text: Buffer) => {
        said += text;
      });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, said };
  }

  return { server, home, keys, start, refused };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

const shell = (command: string) => ({ calls: [{ name: "shell", input: { command } }] });

/** Says, calls, answers, schedules and steers with secrets in it, and leaves a question open. */
async function talk({ server, start }: Awaited<ReturnType<typeof world>>) {
  const { child, client } = await start();
  const { id } = await client.call("POST /api/sessions", { body: { agent: "clerk" } });
  const say = (text: string, key: string, wait = true) =>
    client.call(
      "POST /api/sessions/{id}/messages",
      { params: { id }, ...(wait ? { query: { wait: "true" } } : {}), body: { text } },
      { idempotencyKey: key },
    );
  // Long enough to be cut: the whole of it is kept under a handle.
  server.setScript([shell(`cat <<'END'\n${SECRET_TEXT}\nEND\nseq 1 60000`), { text: `I have used ${SECRET_TEXT}` }]);
  expect(await say(SECRET_TEXT, "first")).toMatchObject({ status: "complete" });
  expect(await say(SECRET_TEXT, "first")).toMatchObject({ answer: `I have used ${SECRET_TEXT}` });
  const query = { agent: "clerk" };
  await client.call("PATCH /api/instructions", { query, body: { after: 0, add: [SECRET_TEXT] } });
  const schedule = { agent: "clerk", cron: "0 0 1 1 *", zone: "UTC", say: SECRET_TEXT };
  await client.call("POST /api/schedules", { body: schedule });
  server.setScript([shell(`pay ${SECRET_TEXT}`), { text: "Paid." }]);
  await say("pay it", "second", false);
  const asked = () => client.call("GET /api/approvals").then(({ approvals }) => approvals.length);
  await expect.poll(asked, { timeout: PATIENT / 2 }).toBe(1);
  await say(SECRET_TEXT, "steered", false);
  return { child, client, id };
}

describe("what a gateway leaves at rest", () => {
  it(
    "SEA-30 no file in the home contains a secret of a turn, schedule or steering, and the gateway needs its key to start",
    async () => {
      const here = await world();
      const { child } = await talk(here);
      expect(findInFiles(here.home)).toEqual([]);
      await kill(child);
      expect(findInFiles(here.home)).toEqual([]);
      expect(readdirSync(join(here.home, "results"), { recursive: true }).length).toBeGreaterThan(1);
      renameSync(here.keys, `${here.keys}-away`);
      const { code, said } = await here.refused();
      expect(code).not.toBe(0);
      expect(said).toMatch(/The key of the store .*conduct\.db is missing: it was expected in .*\.key/);
      expect(existsSync(here.keys)).toBe(false);
      renameSync(`${here.keys}-away`, here.keys);
      const { client } = await here.start();
      const { sessions } = await client.call("GET /api/sessions");
      const { turns } = await client.call("GET /api/sessions/{id}", { params: { id: sessions[0]?.id ?? "" } });
      expect(turns.map(({ text }) => text)).toContain(SECRET_TEXT);
      expect((await client.call("GET /api/schedules")).schedules[0]?.say).toBe(SECRET_TEXT);
      const { items } = await client.call("GET /api/instructions", { query: { agent: "clerk" } });
      expect(items[0]?.text).toContain(NEEDLES[0]);
    },
    PATIENT,
  );

  const programs = findPostgres();
  it.skipIf(programs === undefined)(
    "SEA-31 with PostgreSQL no table and no file in the home contains a plain secret",
    async () => {
      const postgres = await startPostgres(programs ?? "");
      closing.push(() => postgres.stop());
      const url = await postgres.createDatabase();
      const here = await world({ CONDUCT_STORE: url });
      await talk(here);
      const db = new pg.Client({ connectionString: url });
      await db.connect();
      const { rows } = await db.query<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'public'",
      );
      const found: string[] = [];
      for (const { name } of rows) {
        const { rows: all } = await db.query<{ text: string }>(`select t::text as text from ${name} t`);
        const text = all.map((row) => row.text).join("\n");
        found.push(...NEEDLES.filter((needle) => text.includes(needle)).map((needle) => `${name}: ${needle}`));
      }
      await db.end();
      expect(rows.length).toBeGreaterThan(15);
      expect(found).toEqual([]);
      expect(findInFiles(here.home)).toEqual([]);
    },
    PATIENT,
  );
});
