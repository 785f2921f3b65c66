import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { codexHooksJson } from "../../src/edge/adapters/codex/hooks-json.ts";
import { trustCodexHooks } from "../../src/edge/adapters/codex/trust.ts";
import { conductProgram } from "../../src/edge/host/node/package-files.ts";
import type { KitMcpServer } from "../../src/testing/kit/driver.ts";
import { type ModelServer, type Script, startModelServer } from "../../src/testing/test/model-server/index.ts";

const BIN = join(import.meta.dirname, "node_modules", ".bin");
const NODE = process.execPath;
export const CODEX = join(BIN, "codex");

/** A fresh place for one Codex: its home, a workspace, a folder for the socket. */
export type CodexPlace = { readonly home: string; readonly workspace: string; readonly socket: string; remove(): void };

export function newPlace(): CodexPlace {
  const dir = mkdtempSync(join(tmpdir(), "conduct-codex-"));
  return {
    home: join(dir, "home"),
    workspace: join(dir, "workspace"),
    socket: join(dir, "run", "conduct.sock"),
    remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}

export type CodexRun = {
  readonly place: CodexPlace;
  readonly script: Script;
  readonly message: string;
  /** Further messages: the session is resumed with each. */
  readonly further?: readonly string[];
  /** Runs before each message, the first of which is 1; after it there is a thread. */
  readonly before?: (turn: number, thread: string) => void | Promise<void>;
  readonly files?: { readonly [path: string]: string };
  readonly model?: string;
  /** Text of `hooks.json`; ours unless given. */
  readonly hooks?: string;
  /** False runs as a person would: only trusted hooks count. */
  readonly bypassTrust?: boolean;
  /** True leaves Codex' own approvals on; there is nobody to give one. */
  readonly approvals?: boolean;
  /** Does the operator's step first. */
  readonly trust?: boolean;
  /** More lines at the top of `config.toml`. */
  readonly config?: string;
  /** False leaves Conduct's own tools out. */
  readonly tools?: boolean;
  /** More MCP servers. */
  readonly mcpServers?: { readonly [name: string]: KitMcpServer };
  readonly env?: NodeJS.ProcessEnv;
};

export type CodexEnd = {
  readonly server: ModelServer;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The workspace's files afterwards, by their path in it. */
  readonly files: ReadonlyMap<string, string>;
};

/** The hook as it is installed; the socket is named here and not in the environment that the agent's commands inherit. */
export function hookCommand(socket: string, env = ""): string {
  return `env CONDUCT_SOCKET=${socket} ${env} ${NODE} ${conductProgram()} hook codex`;
}

export function codexEnv({ home }: CodexPlace): NodeJS.ProcessEnv {
  const path = `${dirname(NODE)}:/usr/local/bin:/usr/bin:/bin`;
  return { PATH: path, HOME: home, CODEX_HOME: home, SCRIPTED_KEY: "none" };
}

/** What a person's `config.toml` has before Conduct is set up. */
export function codexConfig(given: {
  readonly modelUrl: string;
  readonly model: string;
  readonly workspace: string;
  /** More lines at the top, and at the end. */
  readonly top?: string;
  readonly end?: string;
  readonly mcpServers?: { readonly [name: string]: KitMcpServer };
}): string {
  return `model = "${given.model}"
model_provider = "scripted"
${given.top ?? ""}
[model_providers.scripted]
name = "scripted"
base_url = "${given.modelUrl}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
[features]
plugins = false
apps = false
unified_exec_tty = false
[projects."${given.workspace}"]
trust_level = "trusted"
${given.end ?? ""}
${Object.entries(given.mcpServers ?? {})
  .map(([name, server]) => mcpServer(name, server))
  .join("\n")}
`;
}

/** Writes Codex' home for a run; `modelUrl` is where its model answers. */
export async function writeHome(place: CodexPlace, modelUrl: string, run: Partial<CodexRun> = {}): Promise<void> {
  await mkdir(place.home, { recursive: true });
  await mkdir(place.workspace, { recursive: true });
  const { model = "gpt-5.5", config: top, mcpServers } = run;
  const end = run.tools === false ? "" : ownTools(place);
  const config = codexConfig({ modelUrl, model, workspace: place.workspace, top, end, mcpServers });
  await writeFile(join(place.home, "config.toml"), config);
  await writeFile(join(place.home, "hooks.json"), run.hooks ?? codexHooksJson(hookCommand(place.socket)));
}

function ownTools({ socket }: CodexPlace): string {
  const server = mcpServer("conduct", { command: NODE, args: [join(import.meta.dirname, "mcp.ts")] });
  return `${server}\nenv = { CONDUCT_SOCKET = "${socket}" }`;
}

/** Codex waits a second for a server, and then goes on without its tools; for one that it requires it waits until it is there. */
function mcpServer(name: string, { command, args }: KitMcpServer): string {
  return `[mcp_servers.${name}]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
required = true
startup_timeout_sec = 60`;
}

/** Runs `codex exec` on a message, and resumes it with those after it, against a scripted model, on loopback only. */
export async function runCodex(run: CodexRun): Promise<CodexEnd> {
  const { place } = run;
  const server = await startModelServer({ script: run.script });
  await writeHome(place, server.openaiUrl, run);
  if (run.trust === true) await trustCodexHooks(place.home, place.workspace, CODEX);
  await writeFiles(place.workspace, run.files);
  const options = [
    "--skip-git-repo-check",
    "--json",
    ...(run.bypassTrust === false ? [] : ["--dangerously-bypass-hook-trust"]),
    ...(run.approvals === true ? [] : ["--dangerously-bypass-approvals-and-sandbox"]),
  ];
  const execute = (args: string[]) => spawnCodex(args, place.workspace, { ...codexEnv(place), ...run.env });
  try {
    await run.before?.(1, "");
    let ended = await execute(["exec", ...options, "-C", place.workspace, run.message]);
    for (const [index, message] of (run.further ?? []).entries()) {
      if (ended.exitCode !== 0) break;
      const thread = threadOf(ended.stdout);
      await run.before?.(index + 2, thread);
      ended = joined(ended, await execute(["exec", "resume", ...options, thread, message]));
    }
    return { server, ...ended, files: await readFiles(place.workspace) };
  } finally {
    await server.close();
  }
}

type Ended = Omit<CodexEnd, "server" | "files">;

function joined(before: Ended, { exitCode, stdout, stderr }: Ended): Ended {
  return { exitCode, stdout: before.stdout + stdout, stderr: before.stderr + stderr };
}

function threadOf(stdout: string): string {
  return /"thread_id":"([^"]+)"/.exec(stdout)?.[1] ?? "no-thread";
}

export async function writeFiles(root: string, files: { readonly [path: string]: string } = {}): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function readFiles(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = paths.map(async (path) => [relative(root, path), await readFile(path, "utf8")] as const);
  return new Map(await Promise.all(texts));
}

function spawnCodex(args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(CODEX, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (text) => {
      stdout += text;
    });
    child.stderr.on("data", (text) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}
