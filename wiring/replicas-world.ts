import { randomBytes } from "node:crypto";
import { mkdirSync, symlinkSync } from "node:fs";
import { afterAll, afterEach, beforeAll } from "vitest";
import { findPostgres, startPostgres, type TestPostgres } from "../src/edge/stores/test/servers/postgres.ts";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine } from "./shipped.ts";

export const ANN = 4711;
/** A gateway that was killed counts as dead after 7 s. `npm run mutate` waits less. */
export const TAKEOVER = { timeout: Number(process.env.CONDUCT_PATIENCE_MS ?? 120_000) / 2, interval: 100 };

const configOf = (url: string, more = "") => `
agents:
  reader:
    model: own/scripted
    tools: [{ name: read_file, args: [path], paths: { path: read } }]
    limits: { window: 4000, toolResultShare: 0.1 }
  shop: { model: own/scripted, rules: [{ id: stock-first, on: order, require: { call: check_stock } }] }
channels: { telegram: { operators: [${ANN}] } }
models: { own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY } }
${more}
`;

/** A PostgreSQL for the tests of a file, and machines that share it. Everything ends after each test. */
export function replicasWorld() {
  let postgres: TestPostgres;
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    const programs = findPostgres();
    if (programs === undefined) throw new Error("PostgreSQL is needed");
    postgres = await startPostgres(programs);
  });
  afterAll(() => postgres.stop());
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /**
   * A model that holds its answer to a message with the word "hold" until `release`, and to one with the word "stall" until
   * the test ends. Counts what it was asked.
   */
  async function heldModel(machine: Machine) {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const model = await machine.model(async ({ lastUserText }) => {
      if (lastUserText.includes("hold")) await promise;
      if (lastUserText.includes("stall")) await over;
      return { text: `did ${lastUserText.split("\n")[0]}` };
    });
    closing.push(release, end);
    const asked = (text: string) => model.requests.filter(({ lastUserText }) => lastUserText.includes(text)).length;
    return { model, release, asked };
  }

  /** Two machines with homes of their own that share a database and its key, and nothing else. */
  async function twoMachines(given: { readonly env?: NodeJS.ProcessEnv } = {}) {
    const store = await postgres.createDatabase();
    const env = {
      SCRIPTED_KEY: "provider-key",
      CONDUCT_STORE: store,
      CONDUCT_DATA_KEY: randomBytes(32).toString("hex"),
      ...given.env,
    };
    const [first, second] = [new Machine(env), new Machine(env)];
    closing.push(
      () => first.close(),
      () => second.close(),
    );
    const configure = (model: ModelServer, more?: string) => {
      for (const machine of [first, second])
        machine.write({ ".conduct/conduct.yaml": configOf(model.openaiUrl, more) });
    };
    return { first, second, configure, store, env };
  }

  return { closing, heldModel, twoMachines, postgres: () => postgres };
}

/** The second machine gets the folder of workspaces of the first one. Call it before their gateways start. */
export function shareFolder(first: Machine, second: Machine): void {
  mkdirSync(`${first.home}-work`, { mode: 0o700 });
  symlinkSync(`${first.home}-work`, `${second.home}-work`);
}

/** Starts a conversation at a gateway; its messages may go to any. */
export async function converse(at: Gateway, agent = "reader") {
  const { id } = await at.operator.call("POST /api/sessions", { body: { agent } });
  const params = { id };
  return {
    id,
    send: (to: Gateway, text: string, wait = false) =>
      to.operator.call("POST /api/sessions/{id}/messages", { params, query: { wait: String(wait) }, body: { text } }),
    turns: async (from: Gateway) => (await from.operator.call("GET /api/sessions/{id}", { params })).turns,
  };
}
