import { lstat, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, parseObject } from "../../../base/kernel/json.ts";
import type { Enforcement } from "../../../engine/session/session-options.ts";
import { changeSetup } from "../switch/setup-record.ts";
import { withFileLock } from "../workspace/file-lock.ts";
import { replaceFile } from "../workspace/own-files.ts";
import { isMissing } from "../workspace/resolve-path.ts";

/**
 * Settings of one runtime. Without `agent` it plays the only agent, or `default`. `since` is when it was set (ISO
 * 8601).
 */
export type RuntimeSettings = {
  readonly agent?: string;
  readonly enforcement: Enforcement;
  /** The person at this runtime is the operator. */
  readonly operator: boolean;
  /** Whose instructions and memory its sessions use. Default: the account's name. */
  readonly user?: string;
  readonly since: string;
};

export type RuntimesSettings = { readonly [runtime: string]: RuntimeSettings };

/** A runtime that was never set up gets the strictest settings. */
export const UNSET_RUNTIME: Omit<RuntimeSettings, "since"> = { enforcement: "enforce", operator: false };

/** `CONDUCT_HOME/runtimes.json` */
export function runtimesFile(home: string): string {
  return join(home, "runtimes.json");
}

/** Empty if the file does not exist. Rejects with the fault and its place if the file is invalid or unsafe. */
export async function readRuntimes(home: string): Promise<RuntimesSettings> {
  const file = runtimesFile(home);
  try {
    const found = await lstat(file);
    if (!found.isFile()) throw new Error(`${file} is not a regular file`);
    if ((found.mode & 0o022) !== 0) throw new Error(`${file} can be written by others: chmod 600 ${file}`);
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
  const parsed = parseRuntimes(await readFile(file, "utf8"));
  if ("fault" in parsed) throw new Error(`${file}: ${parsed.fault}; repair it, or run conduct init again`);
  return parsed.runtimes;
}

/** Computes the new settings from those in force at the time of the write. */
type RuntimeEdit = (now: RuntimeSettings | undefined) => RuntimeSettings | undefined;

/** Sets one runtime, or removes it with `undefined`. Concurrent writes to other runtimes are preserved. */
export async function writeRuntime(
  home: string,
  runtime: string,
  settings: RuntimeSettings | RuntimeEdit | undefined,
): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const file = runtimesFile(home);
  await withFileLock(`${file}.lock`, async () => {
    const { [runtime]: now, ...others } = await readRuntimes(home);
    const next = typeof settings === "function" ? settings(now) : settings;
    const all = next === undefined ? others : { ...others, [runtime]: next };
    // Signed first: a change that is missing from the signed record was not made by Conduct.
    await changeSetup(home, (setup) => ({ ...setup, runtimes: all }));
    await replaceRuntimes(home, all);
  });
}

/** Writes all settings. The caller has signed them and has the lock. */
export async function replaceRuntimes(home: string, all: RuntimesSettings): Promise<void> {
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  replaceFile(runtimesFile(home), `${JSON.stringify(sorted, null, 2)}\n`, "durable");
}

/** Rejects a file with any fault as a whole: partial settings are never used. */
function parseRuntimes(text: string): { readonly runtimes: RuntimesSettings } | { readonly fault: string } {
  const content = parseObject(text);
  if (content === undefined) return { fault: "it is not a JSON object" };
  const runtimes: [string, RuntimeSettings][] = [];
  for (const [runtime, entry] of Object.entries(content)) {
    if (!isObject(entry)) return { fault: `'${runtime}' is no map` };
    const { agent, enforcement, operator, user, since, ...rest } = entry;
    const strange = Object.keys(rest)[0];
    if (strange !== undefined) return { fault: `'${runtime}.${strange}' is not known` };
    if (enforcement !== "enforce" && enforcement !== "shadow") {
      return { fault: `'${runtime}.enforcement' must be "enforce" or "shadow"` };
    }
    if (typeof operator !== "boolean") return { fault: `'${runtime}.operator' must be true or false` };
    if (typeof since !== "string") return { fault: `'${runtime}.since' must be a time` };
    if (agent !== undefined && typeof agent !== "string") return { fault: `'${runtime}.agent' must be a name` };
    if (user !== undefined && (typeof user !== "string" || user.trim() === ""))
      return { fault: `'${runtime}.user' must be a name` };
    const settings: RuntimeSettings = { enforcement, operator, since };
    // Compared key by key with the signed record, which omits a missing agent or user.
    const named = { ...(agent === undefined ? {} : { agent }), ...settings, ...(user === undefined ? {} : { user }) };
    runtimes.push([runtime, named]);
  }
  return { runtimes: Object.fromEntries(runtimes) };
}
