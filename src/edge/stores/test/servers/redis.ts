import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@redis/client";
import { freePort, guardServer } from "./server.ts";

/** A Redis of our own, for tests: loopback only, with a password, keeping nothing, its folder gone with it. */
export type TestRedis = {
  readonly url: string;
  /** One command, over a connection of its own. */
  command(...words: readonly string[]): Promise<unknown>;
  /** As when the machine is lost. `SIGSTOP` makes it hang with its connections open, until `SIGCONT`. */
  signal(how: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void>;
  /** After `SIGKILL`: an empty one at the same address. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** The server's program. Says so loudly when there is none: then the tests that need it are skipped. */
export function findRedis(): string | undefined {
  const found = redisProgram();
  if (found === undefined) {
    console.warn("NOT TESTED: no Redis on this machine (redis-server). On Debian: apt-get install redis-server");
  }
  return found;
}

/** The server's program, if it is installed. */
export function redisProgram(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "redis-server")).find(isProgram);
}

/** Starts it on a free port; `isDown` leaves the start to the test. */
export async function startRedis(program: string, { isDown = false } = {}): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), "conduct-redis-"));
  const password = randomBytes(16).toString("hex");
  const port = await freePort();
  const url = `redis://:${password}@127.0.0.1:${port}/0`;
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--requirepass", password];
  let server: ChildProcess | undefined;
  let unguard = () => {};

  async function start(): Promise<void> {
    const child = spawn(program, [...settings, "--save", "", "--appendonly", "no", "--daemonize", "no"], {
      stdio: "ignore",
      cwd: folder,
    });
    server = child;
    unguard = guardServer(child.pid, folder, "KILL");
    for (let tries = 0; tries < 200; tries++) {
      if (child.exitCode !== null) throw new Error(`Redis did not start (code ${child.exitCode})`);
      if (await command("PING").catch(() => undefined)) return;
      await sleep(25);
    }
    throw new Error("Redis did not answer");
  }

  async function command(...words: readonly string[]): Promise<unknown> {
    const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 2_000 } });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await client.sendCommand([...words]);
    } finally {
      client.destroy();
    }
  }

  async function end(): Promise<void> {
    unguard();
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }

  if (!isDown) await start();
  return {
    url,
    command,
    start,
    async signal(how) {
      if (how === "SIGKILL") await end();
      else server?.kill(how);
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
