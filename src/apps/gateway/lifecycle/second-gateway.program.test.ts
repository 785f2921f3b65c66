import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { findPostgres, startPostgres, type TestPostgres } from "../../../edge/stores/test/servers/postgres.ts";
import { startModelServer } from "../../../testing/test/model-server/index.ts";
import { programWorld } from "./test/test-program.ts";

const PATIENT = 180_000;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A gateway in the middle of a turn, with another one queued. */
async function busyGateway(store: { readonly CONDUCT_STORE?: string } = {}) {
  const model = await startModelServer({ script: () => ({ broken: "hangs" }) });
  closing.push(() => model.close());
  const world = programWorld(
    closing,
    `agents:\n  writer: { model: own/scripted }\nmodels:\n  own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }\nschedules:\n  - { id: yearly, agent: writer, user: operator, cron: "0 8 1 1 *", zone: UTC, say: hello }\n`,
  );
  const first = await world.start(store);
  const { id } = await first.client.call("POST /api/sessions", { body: { agent: "writer" } });
  for (const text of ["one", "two"])
    await first.client.call("POST /api/sessions/{id}/messages", { params: { id }, body: { text } });
  const statuses = async () =>
    (await first.client.call("GET /api/sessions/{id}", { params: { id } })).turns
      .map(({ status }) => status)
      .toSorted();
  await expect.poll(statuses, { timeout: 60_000 }).toEqual(["queued", "running"]);
  const other = join(world.root, "other");
  mkdirSync(other);
  return { ...world, first, id, statuses, other };
}

type Busy = Awaited<ReturnType<typeof busyGateway>>;

/** The second one names the first and ends; the first one and its work are as they were. */
async function expectRefused({ launch, first, statuses }: Busy, env: NodeJS.ProcessEnv): Promise<void> {
  const second = launch(env);
  expect(await second.ended, second.output()).toBe(1);
  for (const part of ["STORE_IN_USE", `process ${first.child.pid}`, first.url, `kill ${first.child.pid}`])
    expect(second.output()).toContain(part);
  expect(await statuses()).toEqual(["queued", "running"]);
  expect((await first.client.call("GET /api/schedules")).schedules).toHaveLength(1);
}

describe("a second gateway on a store", () => {
  it(
    "LIF-20 a second gateway on SQLite is rejected by any path, even if the first is frozen, and the first continues",
    async () => {
      const busy = await busyGateway();
      await expectRefused(busy, {});
      symlinkSync(join(busy.home, "conduct.db"), join(busy.other, "conduct.db"));
      await expectRefused(busy, { CONDUCT_HOME: busy.other });
      busy.first.child.kill("SIGSTOP");
      const second = busy.launch();
      expect(await second.ended, second.output()).toBe(1);
      busy.first.child.kill("SIGCONT");
      expect(await busy.statuses()).toEqual(["queued", "running"]);
      // Killed, it holds nobody up.
      await busy.kill(busy.first);
      await busy.start();
    },
    PATIENT,
  );

  it(
    "LIF-21 without conduct.yaml its earlier schedules stay and do not run, and a file without schedules removes them",
    async () => {
      const config = `agents:\n  demo: {}\nschedules:\n  - { id: tick, agent: demo, user: operator, cron: "* * * * *", zone: UTC, say: hello }\n`;
      const world = programWorld(closing, config);
      const stop = async ({ child, ended }: Awaited<ReturnType<typeof world.start>>) => {
        child.kill("SIGTERM");
        expect(await ended).toBe(0);
      };
      await stop(await world.start());
      rmSync(join(world.home, "conduct.yaml"));
      const bare = await world.start();
      expect(await bare.line("do not run, because CONDUCT_HOME")).toContain("'tick'");
      expect((await bare.client.call("GET /api/schedules")).schedules).toMatchObject([{ id: "tick" }]);
      await stop(bare);
      writeFileSync(join(world.home, "conduct.yaml"), "agents:\n  demo: {}\n");
      const next = await world.start();
      expect((await next.client.call("GET /api/schedules")).schedules).toEqual([]);
    },
    PATIENT,
  );

  const programs = findPostgres();
  describe.skipIf(programs === undefined)("with PostgreSQL", () => {
    let server: TestPostgres;
    beforeAll(async () => {
      server = await startPostgres(programs ?? "");
      return () => server.stop();
    }, PATIENT);

    it(
      "LIF-22 a second gateway on PostgreSQL shares the store; when the first is killed, its turn is interrupted and the queued one runs",
      async () => {
        const store = { CONDUCT_STORE: await server.createDatabase() };
        const busy = await busyGateway(store);
        const second = await busy.start({ ...store, CONDUCT_HOME: busy.other });
        expect(await busy.statuses()).toEqual(["queued", "running"]);
        await busy.kill(busy.first);
        const { id } = busy;
        const statuses = async () =>
          (await second.client.call("GET /api/sessions/{id}", { params: { id } })).turns.map(({ status }) => status);
        await expect
          .poll(statuses, { timeout: 60_000 })
          .toEqual([expect.stringMatching(/running|complete/), "interrupted"]);
        // The yearly schedule is in the file of the first one only.
        expect((await second.client.call("GET /api/schedules")).schedules).toHaveLength(1);
        const { replicas } = await second.client.call("GET /api/replicas");
        expect(replicas).toHaveLength(1);
      },
      PATIENT,
    );
  });
});
