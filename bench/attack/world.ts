import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ConductClient, conductClient } from "../../src/apps/gateway/client.ts";
import { PROGRAM } from "./program.ts";

/** Starting a process may take long on a busy machine. */
const START_MS = 60_000;
const OPERATOR_TOKEN = "attack-operator-token-0123456789abcdef";

export type Environment = { readonly [name: string]: string };
export type Finished = { readonly code: number | null; readonly out: string; readonly err: string };

export type RunningGateway = {
  readonly url: string;
  readonly pid: number;
  readonly process: ChildProcess;
  /** All output of the gateway so far, both streams. */
  output(): string;
  client(token?: string): ConductClient;
  /** Creates a user with this role and returns a token. */
  token(role: "operator" | "user" | "viewer", id?: string): Promise<string>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
};

/** A machine with an empty home folder, on which the shipped programs run as real processes. */
export type AttackWorld = {
  readonly root: string;
  /** `HOME` of every process. */
  readonly user: string;
  /** `CONDUCT_HOME` of every process. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs `conduct ARGS` until it exits. */
  conduct(args: readonly string[], options?: { readonly env?: Environment; readonly cwd?: string }): Promise<Finished>;
  /** Starts `conduct gateway`; writes `config` to conduct.yaml first. Rejects if it does not start. */
  gateway(options?: {
    readonly config?: string;
    readonly env?: Environment;
    readonly args?: readonly string[];
  }): Promise<RunningGateway>;
  /** Registers a cleanup for the end of the case; the last one runs first. */
  onClose(close: () => unknown): void;
  close(): Promise<void>;
};

export function openWorld(): AttackWorld {
  const root = mkdtempSync(join(tmpdir(), "conduct-attack-"));
  const [user, home] = [join(root, "user"), join(root, "user", ".conduct")];
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const env = plainEnvironment(user, home);
  // A case that opens the store itself uses the programs' key.
  process.env.CONDUCT_KEYS = join(user, ".config", "conduct", "keys");
  const closing: (() => unknown)[] = [
    () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  ];

  return {
    root,
    user,
    home,
    env,
    async conduct(args, { env: more = {}, cwd = user } = {}) {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        cwd,
        env: { ...env, ...more },
        stdio: ["ignore", "pipe", "pipe"],
      });
      closing.push(() => killProcess(child));
      const [out, err] = [collect(child.stdout), collect(child.stderr)];
      const [code] = (await once(child, "close")) as [number | null];
      return { code, out: out(), err: err() };
    },
    async gateway({ config, env: more = {}, args = [] } = {}) {
      if (config !== undefined) writeFileSync(join(home, "conduct.yaml"), config);
      const started = await startGateway({ ...env, CONDUCT_TOKEN: OPERATOR_TOKEN, ...more }, args, closing);
      return started;
    },
    onClose: (close) => void closing.push(close),
    async close() {
      for (const close of closing.splice(0).reverse()) await close();
    },
  };
}

async function startGateway(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  closing: (() => unknown)[],
): Promise<RunningGateway> {
  const child = spawn(process.execPath, [PROGRAM, "gateway", "--port", "0", "--json", ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  closing.push(() => killProcess(child));
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the gateway did not start in time: ${out()}${err()}`)), START_MS);
    createInterface(child.stdout).on("line", (line) => {
      if (!line.includes('"event":"started"')) return;
      clearTimeout(late);
      resolve((JSON.parse(line) as { readonly url: string }).url);
    });
    child.once("close", (code) => {
      clearTimeout(late);
      reject(new Error(`the gateway ended with code ${code}: ${out()}${err()}`));
    });
  });
  const client = (token = OPERATOR_TOKEN) => conductClient({ url, token });
  return {
    url,
    pid: child.pid ?? 0,
    process: child,
    output: () => `${out()}${err()}`,
    client,
    async token(role, id = role) {
      await client().call("POST /api/users", { body: { id, name: id, role } });
      const made = await client().call("POST /api/users/{id}/tokens", {
        params: { id },
        body: { label: "attack" },
      });
      return made.token;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const gone = once(child, "close");
      child.kill("SIGTERM");
      return ((await gone) as [number | null])[0];
    },
    kill: () => killProcess(child),
  };
}

/** Excludes the developer's own settings, keys and servers. */
function plainEnvironment(user: string, home: string): NodeJS.ProcessEnv {
  const { PATH = "", LANG = "C.UTF-8", TMPDIR } = process.env;
  return { PATH, LANG, HOME: user, CONDUCT_HOME: home, NO_COLOR: "1", ...(TMPDIR ? { TMPDIR } : {}) };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "close");
  child.kill("SIGKILL");
  await gone;
}
