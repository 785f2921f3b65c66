import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, startPostgres } from "../../../src/edge/stores/test/servers/postgres.ts";
import { startBotApi } from "../../../src/testing/test/bot-api.ts";
import type { Attack, AttackOutcome } from "../attack.ts";
import type { AttackWorld, RunningGateway } from "../world.ts";

const PROBES = 8;
/** The promised limit is 2 seconds; a busy machine may need longer. A hanging store takes 30. */
const PROBE_MS = 5_000;
const UNFINISHED = 300;
/** The shipped limit is 30 seconds. */
const CLOSED_WITHIN_MS = 50_000;
const SECRET = "attack-webhook-secret-0123";

export const attack: Attack = {
  id: "14-health-and-limits",
  title: "Somebody makes the gateway hang, or hides that it does",
  cases: [
    { name: "Freeze PostgreSQL and ask whether the gateway is ready", run: frozenPostgres },
    { name: "Lock SQLite from another process and ask whether the gateway is ready", run: lockedSqlite },
    { name: "Fill the disk and ask whether the gateway is ready", run: fullDisk },
    { name: "Use up the login's rate limit with health probes", run: probeFlood },
    { name: "Leave 300 requests unfinished, half in the headers, half in the body", run: unfinishedRequests },
    { name: "Flood the Telegram webhook without its secret", run: webhookFlood },
  ],
};

async function frozenPostgres(world: AttackWorld): Promise<AttackOutcome> {
  const programs = findPostgres();
  if (programs === undefined) return { tried: 0, held: 0, note: "Not tried: PostgreSQL is not installed here." };
  const server = await startPostgres(programs);
  world.onClose(async () => {
    await server.freeze(false);
    await server.stop();
  });
  const gateway = await world.gateway({ env: { CONDUCT_STORE: await server.createDatabase() } });
  const token = await gateway.token("viewer");
  await server.freeze(true);
  const outcome = await probe(gateway, token);
  await server.freeze(false);
  return outcome;
}

async function lockedSqlite(world: AttackWorld): Promise<AttackOutcome> {
  const gateway = await world.gateway();
  const token = await gateway.token("viewer");
  const other = new DatabaseSync(join(world.home, "conduct.db"));
  other.exec("begin immediate");
  world.onClose(() => other.close());
  // A concurrent write waits for the lock.
  const writing = gateway
    .client()
    .call("PATCH /api/users/{id}", { params: { id: "viewer" }, body: { name: "Waits" } })
    .catch(() => undefined);
  const outcome = await probe(gateway, token);
  other.exec("rollback");
  await writing;
  return outcome;
}

async function fullDisk(world: AttackWorld): Promise<AttackOutcome> {
  const disk = join(world.root, "disk");
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", disk], { stdio: "pipe" });
  } catch {
    return { tried: 0, held: 0, note: "Not tried: this account cannot mount a small disk." };
  }
  world.onClose(() => execFileSync("umount", ["-l", disk]));
  const home = join(disk, "home");
  mkdirSync(home, { mode: 0o700 });
  const gateway = await world.gateway({ env: { CONDUCT_HOME: home } });
  const token = await gateway.token("viewer");
  for (const bytes of [1 << 20, 1 << 16, 1 << 12]) {
    try {
      for (let at = 0; ; at++) writeFileSync(join(disk, `fill-${bytes}-${at}`), Buffer.alloc(bytes));
    } catch {
      // The disk has no space for another file of this size.
    }
  }
  return probe(gateway, token);
}

/** `ready` must fail within the limit, also for signed-in users; `live` must succeed. */
async function probe(gateway: RunningGateway, token: string): Promise<AttackOutcome> {
  const headers = { authorization: `Bearer ${token}` };
  const ask = async (path: string): Promise<{ status: number; body: string; ms: number }> => {
    const started = performance.now();
    const asked = fetch(`${gateway.url}${path}`, { headers, signal: AbortSignal.timeout(PROBE_MS) });
    const answer = await asked.then(
      async (response) => ({ status: response.status, body: await response.text() }),
      () => ({ status: 0, body: "" }),
    );
    return { ...answer, ms: performance.now() - started };
  };
  // The last good response is cached for half a second. The first request after that waits for the store.
  let first = await ask("/api/health/ready");
  for (let tries = 0; tries < 20 && first.status === 200; tries++) {
    await sleep(250);
    first = await ask("/api/health/ready");
  }
  const answers = await Promise.all(
    Array.from({ length: PROBES }, (_, at) => ask(at % 2 === 0 ? "/api/health/ready" : "/api/health/live")),
  );
  const held = answers.filter(({ status }, at) => status === (at % 2 === 0 ? 503 : 200)).length;
  const slowest = Math.max(first.ms, ...answers.map(({ ms }) => ms)) / 1_000;
  const [code = "no reason"] = /"code":"\w+"/.exec(answers[0]?.body ?? "") ?? [];
  return { tried: PROBES, held, note: `Slowest answer after ${slowest.toFixed(1)} s; ready says ${code}.` };
}

async function probeFlood(world: AttackWorld): Promise<AttackOutcome> {
  const { url } = await world.gateway();
  for (let at = 0; at < 30; at++)
    await Promise.all(Array.from({ length: 20 }, async () => (await fetch(`${url}/api/health`)).text()));
  const login = await fetch(`${url}/api/login`, { method: "POST", body: JSON.stringify({ code: "cl_none" }) });
  const probe = await fetch(`${url}/api/health`);
  const held = [login.status === 401, probe.status === 200].filter(Boolean).length;
  return {
    tried: 2,
    held,
    note: `After 600 probes a login is answered with ${login.status}, a probe with ${probe.status}.`,
  };
}

async function unfinishedRequests(world: AttackWorld): Promise<AttackOutcome> {
  const gateway = await world.gateway();
  const token = await gateway.token("viewer");
  const { host, hostname, port } = new URL(gateway.url);
  const headers = { authorization: `Bearer ${token}` };
  const stream = await fetch(`${gateway.url}/api/stream`, { headers });
  const half = [
    `GET /api/me HTTP/1.1\r\nHost: ${host}\r\n`,
    `POST /api/login HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 50\r\n\r\n{"code"`,
  ];
  const sockets: Socket[] = [];
  world.onClose(() => sockets.map((socket) => socket.destroy()));
  let closed = 0;
  const started = performance.now();
  for (let at = 0; at < UNFINISHED; at++) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => closed++);
    socket.resume();
    await once(socket, "connect");
    socket.write(half[at % 2] ?? "");
  }
  while (closed < UNFINISHED && performance.now() - started < CLOSED_WITHIN_MS) await sleep(250);
  const seconds = (performance.now() - started) / 1_000;
  const alive = (await fetch(`${gateway.url}/api/me`, { headers })).status === 200;
  // The stream was opened first and must outlast the requests.
  const open = await Promise.race([stream.text().then(() => false), sleep(500).then(() => true)]);
  await stream.body?.cancel().catch(() => undefined);
  const held = closed === UNFINISHED && alive && open ? UNFINISHED : Math.min(closed, UNFINISHED - 1);
  return {
    tried: UNFINISHED,
    held,
    note: `${closed} closed after ${seconds.toFixed(0)} s; the gateway ${alive ? "answers" : "hangs"}, an open stream ${open ? "goes on" : "was cut"}.`,
  };
}

async function webhookFlood(world: AttackWorld): Promise<AttackOutcome> {
  const api = await startBotApi();
  world.onClose(() => api.close());
  const { url } = await world.gateway({
    env: { TELEGRAM_BOT_TOKEN: api.token, TELEGRAM_API_ROOT: api.url, TELEGRAM_WEBHOOK_SECRET: SECRET },
  });
  const send = async (secret: string, body: string) => {
    const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret };
    return (await fetch(`${url}/telegram/webhook`, { method: "POST", headers, body })).status;
  };
  const update = (id: number) => JSON.stringify({ update_id: id });
  const flood: number[] = [];
  for (let at = 0; at < 100; at++) flood.push(await send("wrong", update(at)));
  const limited = flood.filter((status) => status === 429).length;
  const right = await send(SECRET, update(1_000));
  const large = await send(SECRET, JSON.stringify({ update_id: 1_001, padding: "x".repeat(600 * 1024) }));
  const checks = [
    flood.every((status) => status === 401 || status === 429),
    limited > 50,
    right === 200,
    large === 413,
  ];
  return {
    tried: checks.length,
    held: checks.filter(Boolean).length,
    note: `${limited} of 100 refused by the limit; Telegram itself gets ${right}, an update of 600 KB ${large}.`,
  };
}
