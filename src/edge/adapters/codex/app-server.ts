import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";

/** One conversation with `codex app-server`. */
export type AppServer = { request(method: string, params: JsonObject): Promise<JsonObject> };

const LIMIT_MS = 30_000;
const LEAVE_MS = 5_000;

/** Which Codex: its program, its environment with CODEX_HOME, and settings for `-c`. */
export type CodexProgram = {
  readonly codexBin: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly overrides?: readonly string[];
};

/** Starts the app server of that Codex, talks with it and ends it. Rejects when it refuses or does not answer. */
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
  child.stdin.on("error", () => fail("takes no input"));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parse(line);
    const asked = typeof message?.id === "number" ? waiting.get(message.id) : undefined;
    if (message === undefined || asked === undefined || typeof message.id !== "number") return;
    waiting.delete(message.id);
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
    // It writes to its home until it is gone.
    const stubborn = setTimeout(() => child.kill("SIGKILL"), LEAVE_MS);
    await gone;
    clearTimeout(stubborn);
  }
}

function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
