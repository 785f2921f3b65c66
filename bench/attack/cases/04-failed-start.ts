import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Attack } from "../attack.ts";
import { type StartOutcome, watchStart } from "../watch-start.ts";
import type { AttackWorld } from "../world.ts";

const PAGE = 4_096;

/** Starts that fail midway. */
export const attack: Attack = {
  id: "04-failed-start",
  title: "A gateway that failed to start keeps serving",
  cases: [
    { name: "Damage pages of the store", run: damagedPages },
    { name: "Drop a table of the store", run: droppedTables },
    { name: "Fill the disk", run: fullDisk },
    { name: "Take its port", run: takenPort },
    { name: "Put a folder where it writes its address", run: blockedRunFolder },
    { name: "Send SIGTERM while it waits for a database that never answers", run: terminatedWhileStarting },
  ],
};

/** Creates a home with data of every kind, as a gateway leaves it. */
async function usedHome(world: AttackWorld): Promise<string> {
  const gateway = await world.gateway();
  const { id } = await gateway.client().call("POST /api/sessions", { body: { agent: "demo" } });
  const body = { text: "hello" };
  await gateway.client().call("POST /api/sessions/{id}/messages", { params: { id }, query: { wait: "true" }, body });
  await gateway.stop();
  const database = new DatabaseSync(join(world.home, "conduct.db"));
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
  return world.home;
}

function copyOf(home: string, name: string): string {
  const copy = `${home}-${name}`;
  cpSync(home, copy, { recursive: true });
  return copy;
}

/** A start may succeed if the damage is harmless. A failed start must exit. */
function judge(outcomes: readonly StartOutcome[], mayServe: boolean) {
  const count = (kind: StartOutcome["kind"]) => outcomes.filter((one) => one.kind === kind).length;
  const held = outcomes.filter(
    ({ kind, code }) => (kind === "ended" && code !== 0) || (kind === "serving" && mayServe),
  ).length;
  const zero = outcomes.filter(({ kind, code }) => kind === "ended" && code === 0).length;
  const note = `${count("ended")} ended (${zero} of them with code 0), ${count("serving")} served, ${count("stuck")} failed and stayed.`;
  return { tried: outcomes.length, held, note };
}

async function damagedPages(world: AttackWorld) {
  const home = await usedHome(world);
  const pages = Math.floor(statSync(join(home, "conduct.db")).size / PAGE);
  const step = Math.max(1, Math.floor(pages / 5));
  const outcomes: StartOutcome[] = [];
  for (let page = 1; page < pages; page += step) {
    const copy = copyOf(home, `page-${page}`);
    const file = openSync(join(copy, "conduct.db"), "r+");
    writeSync(file, Buffer.alloc(PAGE, 0xa5), 0, PAGE, page * PAGE);
    closeSync(file);
    outcomes.push(await watchStart(world, { env: { CONDUCT_HOME: copy } }));
  }
  return judge(outcomes, true);
}

async function droppedTables(world: AttackWorld) {
  const home = await usedHome(world);
  const tables = ["conduct_users", "conduct_keys", "conduct_turns", "conduct_schedules", "conduct_schedule_runs"];
  const outcomes: StartOutcome[] = [];
  for (const table of tables) {
    const copy = copyOf(home, table);
    const database = new DatabaseSync(join(copy, "conduct.db"));
    database.exec(`drop table ${table}`);
    database.close();
    outcomes.push(await watchStart(world, { env: { CONDUCT_HOME: copy } }));
  }
  return judge(outcomes, false);
}

async function fullDisk(world: AttackWorld) {
  const home = await usedHome(world);
  const disk = join(world.root, "disk");
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], { stdio: "pipe" });
  } catch {
    return { tried: 0, held: 0, note: "This account may not mount a file system, so no disk could be filled." };
  }
  world.onClose(() => execFileSync("umount", ["-l", disk], { stdio: "pipe" }));
  const outcomes: StartOutcome[] = [];
  for (const free of [0, 32, 96]) {
    const copy = join(disk, "home");
    for (const path of [copy, join(disk, "ballast")]) rmSync(path, { recursive: true, force: true });
    cpSync(home, copy, { recursive: true });
    fill(join(disk, "ballast"), free * 1_024);
    outcomes.push(await watchStart(world, { env: { CONDUCT_HOME: copy } }));
  }
  return judge(outcomes, true);
}

/** Fills the disk until `free` bytes are left. */
function fill(file: string, free: number): void {
  rmSync(file, { force: true });
  const handle = openSync(file, "w");
  try {
    for (;;) writeSync(handle, Buffer.alloc(16_384));
  } catch {
    const { size } = statSync(file);
    closeSync(handle);
    truncateSync(file, Math.max(0, size - free));
  }
}

async function takenPort(world: AttackWorld) {
  const taken = await listen();
  world.onClose(() => taken.server.close());
  return judge([await watchStart(world, { args: ["--port", String(taken.port)] })], false);
}

async function blockedRunFolder(world: AttackWorld) {
  writeFileSync(join(world.home, "run"), "not a folder");
  return judge([await watchStart(world, {})], false);
}

/** Uses a server that accepts connections and never responds, like a frozen PostgreSQL. */
async function terminatedWhileStarting(world: AttackWorld) {
  const silent = await listen();
  world.onClose(() => silent.server.close());
  const env = { CONDUCT_STORE: `postgres://conduct:secret@127.0.0.1:${silent.port}/conduct` };
  const { kind, code } = await watchStart(world, { env, term: once(silent.server, "connection") });
  const note = kind === "ended" ? `It ended with code ${code}.` : "It was still there 8 s after the signal.";
  return { tried: 1, held: kind === "ended" ? 1 : 0, note };
}

async function listen(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  return { server, port: typeof address === "object" && address !== null ? address.port : 0 };
}
