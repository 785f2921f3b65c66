import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import { type HomeStores, homeStores } from "../../../../edge/stores/home-stores.ts";
import { findPostgres, startPostgres, type TestPostgres } from "../../../../edge/stores/test/servers/postgres.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { migrate } from "./migrate.ts";

const programs = findPostgres();
const ANN = "0b0e7a7e-1111-4a5b-8c3d-000000000001";
const BOB = "0b0e7a7e-1111-4a5b-8c3d-000000000002";

const LEGACY = `
  create table agent_configurations (
    id uuid primary key, agent_name text unique, llm_config jsonb, system_prompt text, created_at timestamptz default now());
  insert into agent_configurations values
    ('00000000-0000-0000-0000-00000000000a', 'assistant', '{"model": "x"}', 'Be concise. Be direct.'),
    ('00000000-0000-0000-0000-00000000000b', 'coach', null, null);
  create table user_agent_prompt_customizations (
    id serial primary key, user_id uuid, agent_name text, customization_type text, content jsonb,
    is_active boolean default true, priority int default 0, created_at timestamptz default now(),
    constraint uq_user_agent_customization_type unique (user_id, agent_name, customization_type));
  insert into user_agent_prompt_customizations (user_id, agent_name, customization_type, content, is_active, priority) values
    ('${ANN}', 'assistant', 'style', '{"tone": "warm", "emails": {"format": "bullets"}}', true, 1),
    ('${ANN}', 'assistant', 'language', '"British"', true, 5),
    ('${ANN}', 'assistant', 'rules', '["Never send without asking.", "Sign as A."]', true, 9),
    ('${ANN}', 'assistant', 'old', '"Always shout at me."', false, 99),
    ('${BOB}', 'assistant', 'rules', '"Never send without asking."', true, 0);
  create table agent_long_term_memory (
    user_id uuid, agent_id text, notes text, created_at timestamptz, updated_at timestamptz);
  insert into agent_long_term_memory values
    ('${ANN}', '00000000-0000-0000-0000-00000000000a', E'- the dentist is in Leeds\\n- has two cats', '2025-01-02T03:04:05Z', '2025-02-03T04:05:06Z'),
    ('${BOB}', 'coach', 'runs on Sundays', null, null);
`;
/** As the specification's own migration leaves it: JSON cast to text. */
const SIMPLIFIED = `
  create table agent_configurations (agent_name text, soul text, identity jsonb);
  insert into agent_configurations values ('ada', 'Think first.', '{"name": "Ada", "vibe": "dry", "born": 1815}');
  create table user_agent_prompt_customizations (
    user_id text, agent_name text, instructions text not null default '', unique (user_id, agent_name));
  insert into user_agent_prompt_customizations values
    ('u1', 'ada', '{"tone": "warm"}'), ('u2', 'ada', '"Answer in French."'), ('u3', 'ada', ''),
    ('u4', 'ada', E'Be brief.\\nNever guess.');
`;

describe.skipIf(programs === undefined)("conduct migrate spec010, on a real PostgreSQL", () => {
  let server: TestPostgres;
  const folders: string[] = [];
  beforeAll(async () => {
    server = await startPostgres(programs ?? "");
  });
  afterAll(() => server?.stop());
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  async function world(schema: string, store = "") {
    const home = mkdtempSync(join(tmpdir(), "conduct-migrate-"));
    folders.push(home);
    const from = await server.createSchema();
    const env = { CONDUCT_HOME: home, CONDUCT_STORE: store };
    const query = async (text: string) => {
      const client = new pg.Client({ connectionString: from });
      await client.connect();
      return client.query(text).finally(() => client.end());
    };
    await query(schema);
    async function run(more: { readonly [name: string]: unknown } = {}) {
      const terminal = testTerminal();
      return migrate({ from, ...more }, terminal, env);
    }
    async function look<T>(at: (stores: HomeStores) => Promise<T>): Promise<T> {
      const stores = homeStores(storePlace(env, home));
      return at(stores).finally(() => stores.close());
    }
    const itemsOf = (user: string, agent: string) =>
      look(async ({ instructions }) => (await instructions.read({ user, agent })).items.map(({ text }) => text));
    const notesOf = (user: string, agent: string) =>
      look(async ({ memory }) => (await memory.search({ user, agent }, { limit: 10 })).notes);
    return { home, env, from, query, run, look, itemsOf, notesOf };
  }

  it.each(["SQLite", "PostgreSQL"])("H15 H16 H11 I08 legacy rows are migrated to %s", async (kind) => {
    const store = kind === "SQLite" ? "" : await server.createSchema();
    const { run, look, itemsOf, notesOf, home } = await world(LEGACY, store);
    expect(await run()).toMatchObject({
      ok: true,
      result: {
        agents: { rows: 2, written: 2, same: 0, left: 0 },
        instructions: { rows: 5, written: 2, inactive: 1, merged: 3 },
        notes: { rows: 2, written: 3, same: 0 },
        users: { rows: 2, written: 2, same: 0 },
        problems: [],
        notCarried: [
          'agent \'assistant\': llm_config is not carried over ({"model":"x"}); set agents.assistant.model (and limits) in its place',
        ],
      },
    });
    for (const id of [ANN, BOB]) {
      expect(await look(({ users }) => users.read(id))).toMatchObject({ id, name: id, role: "user" });
      expect(await look(({ users }) => users.keysOf(id))).toEqual([]);
    }
    expect(await look(({ agents }) => agents.read("assistant"))).toMatchObject({
      version: 1,
      by: "spec010",
      reason: "migrated from SPEC-010",
      definition: { soul: "Be concise. Be direct." },
    });
    expect(await itemsOf(ANN, "assistant")).toEqual([
      "Never send without asking.",
      "Sign as A.",
      "language: British",
      "tone: warm",
      "emails format: bullets",
    ]);
    expect(await itemsOf(BOB, "assistant")).toEqual(["Never send without asking."]);
    const notes = await notesOf(ANN, "assistant");
    expect(notes.map(({ text }) => text).sort()).toEqual(["has two cats", "the dentist is in Leeds"]);
    expect(notes[0]?.at).toBe(Date.parse("2025-02-03T04:05:06Z"));
    expect((await notesOf(BOB, "coach")).map(({ text }) => text)).toEqual(["runs on Sundays"]);
    const originals = readdirSync(home).filter((name) => name.startsWith("spec010-originals-"));
    const [file = ""] = originals;
    const lines = readFileSync(join(home, file), "utf8").trim().split("\n");
    expect(lines).toHaveLength(9);
    expect(lines.map((line) => JSON.parse(line).row.content)).toContainEqual("Always shout at me.");
    expect(statSync(join(home, file)).mode & 0o077).toBe(0);
  });

  it("H16 a second run changes nothing, and changes that people made in between stay", async () => {
    const { run, look, itemsOf, home } = await world(LEGACY);
    await run();
    const owner = { user: BOB, agent: "assistant" };
    await look(({ instructions }) =>
      instructions.write(owner, 1, { items: [{ id: "i9", text: "Ask twice." }], at: 1, by: "s_1", change: "replace" }),
    );
    await look(({ agents }) =>
      agents.put("coach", 1, { definition: { soul: "Mine." }, at: 1, by: "ops", reason: "better" }),
    );
    const before = readdirSync(home).filter((name) => name.endsWith(".jsonl"));
    expect(await run()).toMatchObject({
      result: {
        agents: { written: 0, same: 1, left: 1 },
        instructions: { written: 0, same: 1, left: 1 },
        notes: { written: 0, same: 3 },
        problems: [expect.stringContaining("'coach' already exists here, version 2 by ops")],
      },
    });
    expect(await itemsOf(BOB, "assistant")).toEqual(["Ask twice."]);
    expect(await look(({ agents }) => agents.read("coach"))).toMatchObject({ version: 2 });
    expect(await look(({ instructions }) => instructions.read({ user: ANN, agent: "assistant" }))).toMatchObject({
      version: 1,
    });
    expect(readdirSync(home).filter((name) => name.endsWith(".jsonl"))).toEqual(before);
  });

  it("H17 an existing user is not modified, and an id that is invalid here is reported", async () => {
    const { run, look, query } = await world(LEGACY);
    const ann = { id: ANN, name: "Ann", role: "operator", zone: "Europe/London", at: 1 } as const;
    await look(({ users }) => users.add(ann));
    await query(`alter table user_agent_prompt_customizations alter column user_id type text;
      insert into user_agent_prompt_customizations (user_id, agent_name, customization_type, content)
        values ('no/such id', 'assistant', 'more', '"Be brief."')`);
    expect(await run()).toMatchObject({
      result: {
        users: { rows: 3, written: 1, same: 1 },
        problems: [expect.stringContaining("'no/such id' cannot sign in")],
      },
    });
    expect(await look(({ users }) => users.read(ANN))).toEqual(ann);
    expect(await run()).toMatchObject({ result: { users: { written: 0, same: 2 } } });
  });

  it("H16 later changes in the source are added as a new version", async () => {
    const { run, query, itemsOf, look } = await world(LEGACY);
    await run();
    await query(`insert into user_agent_prompt_customizations (user_id, agent_name, customization_type, content)
      values ('${BOB}', 'assistant', 'more', '"Use metric units."');
      update agent_configurations set system_prompt = 'Be kind.' where agent_name = 'assistant'`);
    expect(await run()).toMatchObject({ result: { agents: { written: 1 }, instructions: { written: 1 } } });
    expect(await itemsOf(BOB, "assistant")).toEqual(["Never send without asking.", "Use metric units."]);
    expect(await look(({ agents }) => agents.version("assistant", 1))).toMatchObject({
      definition: { soul: "Be concise. Be direct." },
    });
    expect(await look(({ agents }) => agents.read("assistant"))).toMatchObject({ version: 2 });
  });

  it("H16 existing instructions are preserved next to the migrated ones", async () => {
    const { run, look, itemsOf } = await world(LEGACY);
    const mine = { items: [{ id: "i1", text: "Call me Bob." }], at: 1, by: "s_1", change: "add" } as const;
    await look(({ instructions }) => instructions.write({ user: BOB, agent: "assistant" }, 0, mine));
    await run();
    expect(await itemsOf(BOB, "assistant")).toEqual(["Call me Bob.", "Never send without asking."]);
    expect(await run()).toMatchObject({ result: { instructions: { written: 0, same: 2, left: 0 } } });
  });

  it("H15 a database that is already simplified is read by its texts, and a missing table is reported", async () => {
    const { run, look, itemsOf } = await world(SIMPLIFIED);
    const outcome = await run();
    expect(outcome).toMatchObject({
      ok: true,
      text: expect.stringContaining("there is no table agent_long_term_memory"),
    });
    expect(await look(({ agents }) => agents.read("ada"))).toMatchObject({
      definition: { soul: "Think first.", identity: { name: "Ada", vibe: "dry" } },
    });
    expect(await Promise.all(["u1", "u2", "u3", "u4"].map((user) => itemsOf(user, "ada")))).toEqual([
      ["tone: warm"],
      ["Answer in French."],
      [],
      ["Be brief.", "Never guess."],
    ]);
  });

  it("H16 a dry run reports the same and writes nothing, not even the store", async () => {
    const { run, home } = await world(LEGACY);
    const dry = await run({ "dry-run": true });
    expect(readdirSync(home)).toEqual([]);
    const wet = await run();
    if (!dry.ok || !wet.ok) throw new Error("it failed");
    const figures = (result: unknown) => {
      const { dryRun: _, originals: __, ...rest } = result as Record<string, unknown>;
      return rest;
    };
    expect(figures(dry.result)).toEqual(figures(wet.result));
    expect(dry.text).toContain("Nothing was written.");
    const again = await run({ "dry-run": true });
    expect(again).toMatchObject({
      result: { agents: { written: 0 }, instructions: { written: 0 }, notes: { written: 0, same: 3 } },
    });
  });

  it("H15 a long instruction is stored completely in pieces, and all pages of the source are read", async () => {
    const { run, query, itemsOf, look } = await world(SIMPLIFIED);
    const long = Array.from({ length: 900 }, (_, at) => `word${at}`).join(" ");
    await query(`insert into user_agent_prompt_customizations values ('long', 'ada', '${long}');
      insert into user_agent_prompt_customizations select 'many' || n, 'ada', 'Rule ' || n || ' holds.' from generate_series(1, 1300) n`);
    expect(await run()).toMatchObject({ result: { instructions: { rows: 1305, written: 1304 }, problems: [] } });
    const pieces = await itemsOf("long", "ada");
    expect(pieces.join(" ")).toBe(long);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(2_000);
    expect(await look(({ instructions }) => instructions.read({ user: "many1300", agent: "ada" }))).toMatchObject({
      items: [{ text: "Rule 1300 holds." }],
    });
  });

  it("H16 migrate never writes to the source", async () => {
    const { run, query } = await world(LEGACY);
    const image = async () =>
      (
        await query(`select (select string_agg(t::text, '|' order by id) from agent_configurations t) a,
        (select string_agg(t::text, '|' order by id) from user_agent_prompt_customizations t) b,
        (select string_agg(t::text, '|' order by user_id) from agent_long_term_memory t) c`)
      ).rows;
    const before = await image();
    await run();
    expect(await image()).toEqual(before);
  });

  it.each([
    { name: "no database", from: "", code: "BAD_ARGUMENT" },
    { name: "something else", from: "mysql://localhost/x", code: "STORE_UNAVAILABLE" },
    { name: "a server that is not there", from: "postgres://u:sekret@127.0.0.1:1/x", code: "STORE_UNAVAILABLE" },
  ])("MIG-1 migrate reports $name in one sentence, without a password", async ({ from, code }) => {
    const { run } = await world("select 1");
    const outcome = await run({ from });
    expect(outcome).toMatchObject({ ok: false, code });
    expect(JSON.stringify(outcome)).not.toContain("sekret");
  });

  it("MIG-1 a database without the expected tables is reported, and nothing is created", async () => {
    const { run, home } = await world("select 1");
    expect(await run()).toMatchObject({ ok: false, code: "NOT_SPEC010" });
    expect(readdirSync(home)).toEqual([]);
  });
});
