import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, startPostgres } from "../../../src/edge/stores/test/servers/postgres.ts";
import { startModelServer } from "../../../src/testing/test/model-server/index.ts";
import type { Attack } from "../attack.ts";
import { watchStart } from "../watch-start.ts";
import type { AttackWorld, Environment, RunningGateway } from "../world.ts";

const CONFIG = `
agents:
  writer: { model: own/scripted }
models:
  own/scripted: { baseUrl: "URL", api: openai-completions, key: SCRIPTED_KEY }
schedules:
  - { id: yearly, agent: writer, user: operator, cron: "0 8 1 1 *", zone: UTC, say: hello }
`;

const TAKEOVER_MS = 10_000;

/** Two gateways on one store. */
export const attack: Attack = {
  id: "13-second-gateway",
  title: "A second gateway starts on the same store",
  cases: [
    { name: "Same home", run: (world) => startSecond(world, {}) },
    { name: "Another home whose conduct.db is a link to the first", run: linkedStore },
    { name: "The same home through a link", run: linkedHome },
    { name: "Another home on the same PostgreSQL, which gateways share", run: samePostgres },
    { name: "While the first one is frozen (SIGSTOP)", run: (world) => startSecond(world, {}, { freeze: true }) },
    { name: "Kill the first one and start again at once, five times", run: restartAtOnce },
    { name: "Start without the conduct.yaml that configured a schedule", run: withoutTheFile },
  ],
};

async function firstGateway(world: AttackWorld, env: Environment = {}) {
  const model = await startModelServer({ script: () => ({ broken: "hangs" }) });
  world.onClose(() => model.close());
  const config = CONFIG.replace("URL", model.openaiUrl);
  return { first: await world.gateway({ config, env: { SCRIPTED_KEY: "none", ...env } }), model };
}

/** Sends two messages. Returns the id of the conversation when the first turn runs. */
async function beginTurns(first: RunningGateway): Promise<string> {
  const { id } = await first.client().call("POST /api/sessions", { body: { agent: "writer" } });
  for (const text of ["one", "two"])
    await first.client().call("POST /api/sessions/{id}/messages", { params: { id }, body: { text } });
  await until(async () => (await statuses(first, id)).includes("running"));
  return id;
}

/** The first gateway is in the middle of a turn. The second must be rejected and must not touch that turn. */
async function startSecond(
  world: AttackWorld,
  env: Environment,
  { freeze = false }: { readonly freeze?: boolean } = {},
) {
  const { first } = await firstGateway(world);
  const id = await beginTurns(first);
  if (freeze) first.process.kill("SIGSTOP");
  const { kind, code, output } = await watchStart(world, { env });
  if (freeze) first.process.kill("SIGCONT");
  const after = await statuses(first, id);
  const { schedules } = await first.client().call("GET /api/schedules");
  const checks = {
    refused: kind === "ended" && code !== 0,
    "names the process": output.includes(String(first.pid)),
    "turns untouched": areUntouched(after),
    "schedule there": schedules.length === 1,
  };
  return outcomeOf(checks);
}

async function linkedStore(world: AttackWorld) {
  const other = join(world.root, "other");
  mkdirSync(other);
  symlinkSync(join(world.home, "conduct.db"), join(other, "conduct.db"));
  return startSecond(world, { CONDUCT_HOME: other });
}

async function linkedHome(world: AttackWorld) {
  const other = join(world.root, "link");
  symlinkSync(world.home, other);
  return startSecond(world, { CONDUCT_HOME: other });
}

async function samePostgres(world: AttackWorld) {
  const programs = findPostgres();
  if (programs === undefined) return { tried: 0, held: 0, note: "There is no PostgreSQL on this machine." };
  const server = await startPostgres(programs);
  world.onClose(() => server.stop());
  const other = join(world.root, "other");
  mkdirSync(other);
  const shared = { CONDUCT_STORE: await server.createDatabase() };
  const { first, model } = await firstGateway(world, shared);
  const id = await beginTurns(first);
  // It has no conduct.yaml, so it knows neither the agent nor the schedule.
  const second = await world.gateway({ env: { ...shared, CONDUCT_HOME: other } });
  const isListed = async () => (await second.client().call("GET /api/replicas")).replicas.length === 2;
  await until(isListed);
  // Longer than a gateway may be silent before others take over its work.
  await sleep(TAKEOVER_MS);
  const during = [await statuses(first, id), await statuses(second, id)];
  const stopped = await second.stop();
  const { schedules } = await first.client().call("GET /api/schedules");
  return outcomeOf({
    "the second starts": stopped === 0,
    "turns untouched": [...during, await statuses(first, id)].every(areUntouched),
    "nothing runs twice": model.requests.length === 1,
    "schedule there": schedules.length === 1,
  });
}

async function restartAtOnce(world: AttackWorld) {
  let gateway = await world.gateway();
  let held = 0;
  for (let count = 0; count < 5; count++) {
    await gateway.kill();
    gateway = await world.gateway();
    held += 1;
  }
  return { tried: 5, held, note: "Each successor started." };
}

async function withoutTheFile(world: AttackWorld) {
  await (await firstGateway(world)).first.stop();
  const file = join(world.home, "conduct.yaml");
  rmSync(file);
  const { client, stop } = await world.gateway();
  const kept = (await client().call("GET /api/schedules")).schedules.length === 1;
  await stop();
  writeFileSync(file, "agents:\n  demo: {}\n");
  const next = await world.gateway();
  const removed = (await next.client().call("GET /api/schedules")).schedules.length === 0;
  return outcomeOf({ "kept without a file": kept, "removed by a file without it": removed });
}

function areUntouched(statuses: readonly string[]): boolean {
  return [...statuses].sort().join() === "queued,running";
}

async function statuses({ client }: RunningGateway, id: string): Promise<readonly string[]> {
  const { turns } = await client().call("GET /api/sessions/{id}", { params: { id } });
  return turns.map(({ status }) => status);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await isSo()) return;
    await sleep(100);
  }
  throw new Error("it did not come to that in time");
}

function outcomeOf(checks: { readonly [name: string]: boolean }) {
  const failed = Object.entries(checks).flatMap(([name, isSo]) => (isSo ? [] : [name]));
  const tried = Object.keys(checks).length;
  const note = failed.length === 0 ? `${Object.keys(checks).join(", ")}.` : `Failed: ${failed.join(", ")}.`;
  return { tried, held: tried - failed.length, note };
}
