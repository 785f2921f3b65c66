import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { accessSync, constants, globSync } from "node:fs";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort, guardServer } from "./server.ts";

/** A PostgreSQL of our own, for tests: loopback only, with a password, its data in a folder that goes with it. */
export type TestPostgres = {
  /** The URL of a new, empty database. */
  createDatabase(): Promise<string>;
  /** The URL of a new, empty schema in a database for all of them: a place as good as a database, and made much faster. */
  createSchema(): Promise<string>;
  /** Takes all rows out of such a schema; its tables stay. */
  emptySchema(url: string): Promise<void>;
  /** As after a power cut, when `how` is `SIGKILL`; `meanwhile` runs while it is away. Resolves when the server answers again. */
  restart(how: "SIGINT" | "SIGKILL", meanwhile?: () => Promise<void>): Promise<void>;
  /** Stops all of its processes where they are, as a machine that hangs does, or lets them go on. */
  freeze(isFrozen: boolean): Promise<void>;
  stop(): Promise<void>;
};

/** The folder of the server's programs. Says so loudly when there is none: then the tests that need it are skipped. */
export function findPostgres(): string | undefined {
  const found = postgresPrograms();
  if (found === undefined) {
    console.warn("NOT TESTED: no PostgreSQL on this machine (initdb, postgres). On Debian: apt-get install postgresql");
  }
  return found;
}

/** The folder of the server's programs, if it is installed. */
export function postgresPrograms(): string | undefined {
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter),
    ...globSync("/usr/lib/postgresql/*/bin").sort().reverse(),
  ];
  return folders.find((folder) => isProgram(join(folder, "initdb")) && isProgram(join(folder, "postgres")));
}

/** Starts it on a free port. `durable` writes to the disk as a real one does, and is slower. */
export async function startPostgres(
  programs: string,
  options: { readonly durable?: boolean } = {},
): Promise<TestPostgres> {
  const account = serverAccount();
  const folder = await mkdtemp(join(tmpdir(), "conduct-pg-"));
  const password = randomBytes(16).toString("hex");
  await writeFile(join(folder, "password"), password, { mode: 0o600 });
  if (account.uid !== undefined) {
    for (const path of [folder, join(folder, "password")]) await chown(path, account.uid, account.gid ?? account.uid);
  }
  const data = join(folder, "data");
  const setup = ["-D", data, "-U", "conduct", "--encoding=UTF8", "--no-locale", "--no-sync", "--auth=scram-sha-256"];
  execFileSync(join(programs, "initdb"), [...setup, `--pwfile=${join(folder, "password")}`], {
    ...account,
    stdio: "pipe",
    cwd: folder,
  });

  const port = await freePort();
  const urlOf = (database: string) => `postgres://conduct:${password}@127.0.0.1:${port}/${database}`;
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: folder,
    max_connections: 400,
    shared_buffers: "32MB",
    fsync: options.durable === true ? "on" : "off",
    // As an administrator in a hurry would have it: the store has to insist.
    synchronous_commit: "off",
    logging_collector: "off",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

  async function launch() {
    const server = spawn(join(programs, "postgres"), ["-D", data, ...flags], {
      ...account,
      stdio: ["ignore", "ignore", "pipe"],
      cwd: folder,
    });
    let log = "";
    server.stderr.on("data", (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-4_000);
    });
    // After a kill it looks through its files first, which takes its time on a busy disk.
    for (let tries = 0; tries < 1_200; tries++) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${log}`);
      if (await answers(urlOf("postgres"))) return server;
      await sleep(50);
    }
    server.kill("SIGKILL");
    throw new Error(`PostgreSQL did not answer:\n${log}`);
  }

  let server = await launch();
  let unguard = guardServer(server.pid, folder, "QUIT");
  const end = (how: "SIGINT" | "SIGKILL" | "SIGQUIT") => {
    unguard();
    if (server.exitCode !== null || server.signalCode !== null) return undefined;
    const ended = once(server, "exit");
    server.kill(how);
    return ended;
  };
  let databases = 0;
  let schemas = 0;
  let shared: Promise<pg.Client> | undefined;

  return {
    async createDatabase() {
      const name = `test_${++databases}`;
      await ask(urlOf("postgres"), `create database ${name}`);
      return urlOf(name);
    },
    async createSchema() {
      const name = `test_${++schemas}`;
      shared ??= connect(urlOf("postgres"));
      await (await shared).query(`create schema ${name}`);
      return `${urlOf("postgres")}?options=-c%20search_path%3D${name}`;
    },
    async emptySchema(url) {
      const name = url.split("%3D").at(-1);
      const tables = `select tablename from pg_tables where schemaname = '${name}' and tablename not like 'conduct_migration%' and tablename <> 'conduct_seal'`;
      const client = await shared;
      const found = await client?.query<{ tablename: string }>(tables);
      const deletes = found?.rows.map(({ tablename }) => `delete from ${name}.${tablename}`) ?? [];
      await client?.query(deletes.join("; "));
    },
    async restart(how, meanwhile) {
      await end(how);
      await meanwhile?.();
      // Its children see that it is gone, and go too; until then a new one refuses to start.
      for (let tries = 0; how === "SIGKILL" && tries < 100 && (await isHeld(data)); tries++) await sleep(50);
      server = await launch();
      unguard = guardServer(server.pid, folder, "QUIT");
    },
    async freeze(isFrozen) {
      const pid = server.pid ?? 0;
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
      for (const one of [pid, ...children.split(" ").filter(Boolean).map(Number)]) {
        try {
          process.kill(one, isFrozen ? "SIGSTOP" : "SIGCONT");
        } catch {
          // It has ended by itself.
        }
      }
    },
    async stop() {
      await (await shared)?.end();
      await end("SIGQUIT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The server refuses to run as root. */
function serverAccount(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function answers(url: string): Promise<boolean> {
  return ask(url, "select 1").then(
    () => true,
    () => false,
  );
}

async function ask(url: string, query: string): Promise<void> {
  const client = await connect(url);
  try {
    await client.query(query);
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 30_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** True while a server process, or what is left of one, uses the data: the segment of shared memory in the lock file is in use. */
async function isHeld(data: string): Promise<boolean> {
  const lock = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
  const segment = lock.split("\n")[6]?.trim().split(/\s+/)[1];
  if (segment === undefined) return false;
  const table = await readFile("/proc/sysvipc/shm", "utf8").catch(() => "");
  const row = table.split("\n").find((line) => line.trim().split(/\s+/)[1] === segment);
  return row !== undefined && row.trim().split(/\s+/)[6] !== "0";
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
