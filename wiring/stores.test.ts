import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { findPostgres, startPostgres, type TestPostgres } from "../src/edge/stores/test/servers/postgres.ts";
import { findRedis, startRedis, type TestRedis } from "../src/edge/stores/test/servers/redis.ts";
import { startTypesense, type TestTypesense } from "../src/edge/stores/test/servers/typesense.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let postgres: TestPostgres;
let redis: TestRedis;
let typesense: TestTypesense;
let url = "";
let legacy = "";
let env: NodeJS.ProcessEnv = {};
let gateway: Gateway;

const CONFIG = (address: string) => `
agents: { clerk: { model: own/scripted } }
review: { runner: dbos }
models: { own/scripted: { baseUrl: "${address}", api: openai-completions, key: SCRIPTED_KEY } }
`;

/** What a database has to say. */
async function query(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  const [server, program] = [findPostgres(), findRedis()];
  if (server === undefined || program === undefined) throw new Error("PostgreSQL and Redis are needed");
  postgres = await startPostgres(server);
  machine.onClose(() => postgres.stop());
  redis = await startRedis(program);
  machine.onClose(() => redis.stop());
  typesense = await startTypesense();
  machine.onClose(() => typesense.stop());
  url = await postgres.createDatabase();
  legacy = await postgres.createDatabase();
  await query(
    legacy,
    `create table agent_configurations (agent_name text, soul text, identity jsonb);
     insert into agent_configurations values ('ada', 'Think first.', '{"name": "Ada"}');
     create table user_agent_prompt_customizations (
       user_id text, agent_name text, instructions text not null default '', unique (user_id, agent_name));
     insert into user_agent_prompt_customizations values ('u1', 'ada', 'Never guess.');
     create table agent_long_term_memory (user_id text, agent_id text, notes text);
     insert into agent_long_term_memory values ('u1', 'ada', 'runs on Sundays');`,
  );
  const model = await machine.model(() => ({ text: "done" }));
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  env = {
    CONDUCT_STORE: url,
    CONDUCT_REDIS_URL: redis.url,
    CONDUCT_TYPESENSE_URL: typesense.url,
    CONDUCT_TYPESENSE_KEY: typesense.key,
  };
  gateway = await machine.gateway([], env);
});
afterAll(() => machine.close());

describe("other servers that hold the data", () => {
  wired("CONDUCT_STORE", "WIR-460 the gateway and the commands store in PostgreSQL, and nothing at home", async () => {
    const before = await query(url, "select count(*)::int as n from conduct_governance");
    await gateway.say("clerk", "hello over there");
    await machine.conduct(["behavior", "add", "STOP: long reports"], { env });
    const after = await query(url, "select count(*)::int as n from conduct_governance");
    expect(Number(after[0]?.n)).toBeGreaterThan(Number(before[0]?.n));
    expect(existsSync(join(machine.home, "conduct.db"))).toBe(false);
  });
  wired("CONDUCT_REDIS_URL", "WIR-461 a change of the contract is published in Redis", async () => {
    await machine.conduct(["behavior", "add", "STOP: short reports"], { env });
    await expect
      .poll(async () => String(await redis.command("GET", "conduct:governance:contract")))
      .toContain("short reports");
  });
  wired(
    ["CONDUCT_TYPESENSE_URL", "CONDUCT_TYPESENSE_KEY"],
    "WIR-462 the history is indexed in Typesense, with its key",
    async () => {
      await machine.conduct(["behavior", "add", "STOP: tall tales"], { env });
      const rows = () =>
        JSON.stringify([...typesense.collections.values()].flatMap((documents) => [...documents.values()]));
      await expect.poll(rows).toContain("tall tales");
    },
  );
  wired(["review", "review.runner"], "WIR-463 the review runs as a workflow of DBOS if asked for", async () => {
    await gateway.operator.call("POST /api/review/run", {});
    const workflows = async () =>
      query(url, "select workflow_uuid from conduct_review.workflow_status").catch(() => [] as readonly object[]);
    await expect.poll(async () => JSON.stringify(await workflows())).toContain("conduct-review-after");
  });
  wired(
    ["conduct migrate spec010 --from", "conduct migrate spec010 --dry-run", "CONDUCT_MIGRATE_FROM"],
    "WIR-464 an old database is imported, from the option or the variable, and a dry run writes nothing",
    async () => {
      for (const given of [{ words: ["--from", legacy] }, { words: [], more: { CONDUCT_MIGRATE_FROM: legacy } }]) {
        const home = new Machine();
        machine.onClose(() => home.close());
        const migrate = (...words: readonly string[]) =>
          home.conduct(["migrate", "spec010", ...given.words, ...words], { env: given.more ?? {} });
        const notes = async () => (await home.conduct(["memory", "list", "--agent", "ada", "--user", "u1"])).out;
        expect((await migrate("--dry-run")).code).toBe(0);
        expect(await notes()).not.toContain("runs on Sundays");
        expect((await migrate()).code).toBe(0);
        expect(await notes()).toContain("runs on Sundays");
      }
    },
  );
});
