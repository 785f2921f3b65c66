import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { isObject, parseObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { isConductHook } from "../shared/hooks/guarded-command.ts";
import { CODEX_EVENTS } from "./hooks-json.ts";

export type CodexHook = {
  readonly from: string;
  readonly key: string;
  readonly event: string;
  readonly hash: string;
  readonly trusted: boolean;
};

/** Codex silently skips an untrusted hook: unless `bound`, Conduct enforces nothing there. */
export type CodexTrust = {
  readonly bound: boolean;
  readonly hooks: readonly CodexHook[];
  /** One sentence per fault; empty when `bound`. */
  readonly faults: readonly string[];
};

/** Asks Codex whether it will run every hook that Conduct needs when it works in `cwd`. */
export function codexTrustStatus(codexHome: string, cwd: string, codexBin: string): Promise<CodexTrust> {
  return withAppServer(programOf(codexHome, codexBin), (server) => statusOf(server, codexHome, cwd));
}

/**
 * Trusts Conduct's hooks, and no others, as they are in `hooks.json` now: an explicit step of the operator. A later
 * change of a hook revokes it.
 */
export function trustCodexHooks(codexHome: string, cwd: string, codexBin: string): Promise<CodexTrust> {
  return withAppServer(programOf(codexHome, codexBin), async (server) => {
    const { hooks } = await statusOf(server, codexHome, cwd);
    const value = Object.fromEntries(hooks.map(({ key, hash }) => [key, { trusted_hash: hash }]));
    const edits = [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }];
    await server.request("config/batchWrite", { edits, reloadUserConfig: true });
    return statusOf(server, codexHome, cwd);
  });
}

/** All of Conduct's hooks that Codex knows in `cwd`, wherever they are registered. */
export async function conductHooks(server: AppServer, cwd: string): Promise<readonly CodexHook[]> {
  const { data } = await server.request("hooks/list", { cwds: [cwd] });
  const entries = Array.isArray(data) ? data.filter(isObject) : [];
  const listed = entries.flatMap(({ hooks }) => (Array.isArray(hooks) ? hooks.filter(isObject) : []));
  return listed.filter(({ command }) => isConductHook(command)).map(hookOf);
}

/** One sentence for each event that Conduct would not see. */
export function missingHooks(hooks: readonly CodexHook[], where: string): readonly string[] {
  return CODEX_EVENTS.flatMap((event) => {
    const own = hooks.filter((hook) => hook.event === event);
    if (own.length === 0) return [`${event}: no hook of Conduct is registered in ${where}`];
    return own.some(({ trusted }) => trusted) ? [] : [`${event}: the hook is not trusted, so Codex skips it silently`];
  });
}

async function statusOf(server: AppServer, codexHome: string, cwd: string): Promise<CodexTrust> {
  const file = join(resolve(codexHome), "hooks.json");
  const hooks = (await conductHooks(server, cwd)).filter(({ from }) => from === file);
  const faults = missingHooks(hooks, file);
  return { bound: faults.length === 0, hooks, faults };
}

function programOf(codexHome: string, codexBin: string): CodexProgram {
  return { codexBin, env: { ...process.env, CODEX_HOME: codexHome } };
}

/** Codex lists events in camel case: `preToolUse`. */
function hookOf({ sourcePath, key, eventName, currentHash, trustStatus, enabled }: JsonObject): CodexHook {
  const event = String(eventName);
  return {
    from: String(sourcePath),
    key: String(key),
    event: `${event.charAt(0).toUpperCase()}${event.slice(1)}`,
    hash: String(currentHash),
    trusted: (trustStatus === "trusted" || trustStatus === "managed") && enabled !== false,
  };
}

type AppServer = { request(method: string, params: JsonObject): Promise<JsonObject> };

const LIMIT_MS = 30_000;
const LEAVE_MS = 5_000;

/** Which Codex: its program, its environment with CODEX_HOME, and settings for `-c`. */
type CodexProgram = {
  readonly codexBin: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly overrides?: readonly string[];
};

/** Starts the app server, runs `talk` with it and stops it. Rejects when it refuses or does not answer. */
export async function withAppServer<T>(
  { codexBin, env, overrides = [] }: CodexProgram,
  talk: (server: AppServer) => Promise<T>,
): Promise<T> {
  const child = spawn(codexBin, ["app-server", ...overrides.flatMap((one) => ["-c", one])], {
    env: { ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map<number, { resolve(value: JsonObject): void; reject(error: Error): void }>();
  let last = 0;
  const fail = (why: string): void => {
    for (const { reject } of waiting.values()) reject(new Error(`codex app-server: ${why}`));
    waiting.clear();
  };
  const timer = setTimeout(() => fail(`no answer in ${LIMIT_MS} ms`), LIMIT_MS);
  const gone = new Promise<void>((resolve) => {
    child.on("close", () => resolve());
    child.on("error", () => resolve());
  });
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code) => fail(`ended with ${code}`));
  child.stdin.on("error", () => fail("does not accept input"));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parseObject(line);
    const id = Number(message?.id);
    const asked = waiting.get(id);
    if (message === undefined || asked === undefined) return;
    waiting.delete(id);
    if (isObject(message.result)) asked.resolve(message.result);
    else asked.reject(new Error(`codex app-server: ${JSON.stringify(message.error ?? message.result ?? null)}`));
  });
  const request = (method: string, params: JsonObject): Promise<JsonObject> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ id: last, method, params })}\n`);
    });
  try {
    await request("initialize", { clientInfo: { name: "conduct", version: "0" } });
    child.stdin.write(`${JSON.stringify({ method: "initialized" })}\n`);
    return await talk({ request });
  } finally {
    clearTimeout(timer);
    child.stdin.end();
    // The server writes to its home until it has exited.
    const stubborn = setTimeout(() => child.kill("SIGKILL"), LEAVE_MS);
    await gone;
    clearTimeout(stubborn);
  }
}
