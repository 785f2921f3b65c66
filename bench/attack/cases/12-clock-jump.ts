import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { homeStores } from "../../../src/edge/stores/home-stores.ts";
import type { Attack } from "../attack.ts";
import type { AttackWorld, RunningGateway } from "../world.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const CONFIG = `
agents:
  demo: {}
schedules:
  - { id: tick, agent: demo, user: operator, cron: "0 * * * *", zone: UTC, say: hello }
`;

/** Data written by a clock that was 30 days ahead. */
export const attack: Attack = {
  id: "12-clock-jump",
  title: "The clock was 30 days ahead for a while",
  cases: [
    {
      name: "A schedule has a run 30 days ahead: the missed time is still caught up",
      run: (world) => tickRuns(world, 1, false),
    },
    {
      name: "Ten runs lie ahead and a crash left one of today running: the schedule goes on",
      run: (world) => tickRuns(world, 10, true),
    },
    { name: "A review that crashed while the clock was ahead holds a lease: the next one runs", run: reviewRuns },
    { name: "A write that crashed while the clock was ahead is sent again", run: writeAgain },
  ],
};

const storesOf = ({ home }: AttackWorld) => homeStores({ kind: "sqlite", file: join(home, "conduct.db") });

async function tickRuns(world: AttackWorld, ahead: number, leavesRunning: boolean) {
  await (await world.gateway({ config: CONFIG })).stop();
  const stores = storesOf(world);
  const now = Date.now();
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const schedule = await stores.schedules.read("tick");
  if (schedule === undefined) throw new Error("the schedule is not in the store");
  await stores.schedules.change("tick", (before) => ({ to: { ...before, at: now - DAY_MS } }));
  const run = (id: string, due: number) => ({ id, schedule: "tick", due, startedAt: due, status: "running" as const });
  for (let count = 1; count <= ahead; count++) {
    const future = run(`ahead-${count}`, hour + 30 * DAY_MS + count * HOUR_MS);
    await stores.schedules.begin(future);
    await stores.schedules.end({ ...future, status: "done" });
  }
  if (leavesRunning) await stores.schedules.begin(run("left", hour - HOUR_MS));
  await stores.close();
  const gateway = await world.gateway();
  const ran = await ranSince(gateway, hour - 1);
  return { tried: 1, held: ran ? 1 : 0, note: ran ? "The last due time was run." : "Nothing ran within a minute." };
}

/** Whether a run scheduled between `since` and now has ended. */
async function ranSince({ client }: RunningGateway, since: number): Promise<boolean> {
  for (let tries = 0; tries < 300; tries++) {
    const { runs } = await client().call("GET /api/schedules/{id}/runs", {
      params: { id: "tick" },
      query: { limit: 50 },
    });
    const dues = runs.filter(({ status }) => status === "done").map(({ due }) => Number(due));
    if (dues.some((due) => due > since && due <= Date.now())) return true;
    await sleep(200);
  }
  return false;
}

async function reviewRuns(world: AttackWorld) {
  await (await world.gateway({ config: "agents:\n  demo: {}\nreview: { runner: off }\n" })).stop();
  const stores = storesOf(world);
  const ahead = Date.now() + 30 * DAY_MS;
  await stores.sessions.lease("conduct:daily-review", { holder: "gateway-1-1", until: ahead + 120_000, now: ahead });
  await stores.close();
  const { client } = await world.gateway();
  const answer = await client()
    .call("POST /api/review/run", {})
    .then(
      () => "ran",
      (error: { readonly code?: string }) => error.code ?? "failed",
    );
  return {
    tried: 1,
    held: answer === "ran" ? 1 : 0,
    note: `The review ${answer === "ran" ? "ran" : `was refused with ${answer}`}.`,
  };
}

async function writeAgain(world: AttackWorld) {
  await (await world.gateway()).stop();
  const [key, body] = ["the-same-key", JSON.stringify({ agent: "demo" })];
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const stores = storesOf(world);
  const ahead = Date.now() + 30 * DAY_MS;
  await stores.replies.claim(
    hash(`operator\n${key}`),
    hash(`POST /api/sessions /api/sessions\n${body}`),
    ahead,
    ahead - 1,
  );
  await stores.close();
  const { url } = await world.gateway();
  const { status } = await fetch(`${url}/api/sessions`, {
    method: "POST",
    headers: {
      authorization: "Bearer attack-operator-token-0123456789abcdef",
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body,
  });
  // 422 would mean that the claim belongs to another request, and nothing was proven.
  return { tried: 1, held: status === 201 ? 1 : 0, note: `It was answered with ${status}.` };
}
