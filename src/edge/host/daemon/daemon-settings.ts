import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "../workspace/own-files.ts";

/**
 * Fixed for a home, because runtimes' settings contain the port and token. `node` is the program that last started the
 * daemon, for clients in a runtime other than Node.
 */
export type DaemonSettings = { readonly port?: number; readonly token: string; readonly node?: string };

/**
 * Returns `undefined` if there are none yet. Throws if the file is unsafe, for example a token that others can read.
 */
export function readDaemonSettings(file: string): DaemonSettings | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const mine = process.getuid?.();
  if (!found.isFile() || (mine !== undefined && found.uid !== mine)) throw bad(file, "is not a file of this account");
  if ((found.mode & 0o077) !== 0) throw bad(file, `can be read by others: chmod 600 ${file}`);
  const settings = parse(readFileSync(file, "utf8"));
  if (settings === undefined) throw bad(file, "is invalid: remove it, then run conduct init again");
  return settings;
}

/** Returns the existing settings or new ones, with `change` applied and saved. */
export function keepDaemonSettings(file: string, change: Partial<DaemonSettings> = {}): DaemonSettings {
  const before = readDaemonSettings(file);
  const settings = { ...(before ?? { token: randomBytes(32).toString("hex") }), ...change };
  if (before === undefined || JSON.stringify(before) !== JSON.stringify(settings)) write(file, settings);
  return settings;
}

function parse(text: string): DaemonSettings | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    const { port, token, node } = value as { readonly [key: string]: unknown };
    if (typeof token !== "string" || !/^[0-9a-f]{64}$/.test(token)) return undefined;
    if (port !== undefined && (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535)) {
      return undefined;
    }
    return { port, token, node: typeof node === "string" ? node : undefined };
  } catch {
    return undefined;
  }
}

function write(file: string, settings: DaemonSettings): void {
  replaceFile(file, `${JSON.stringify(settings, null, 2)}\n`);
  if ((lstatSync(dirname(file)).mode & 0o077) !== 0) chmodSync(dirname(file), 0o700);
}

function bad(file: string, what: string): Error {
  return new Error(`${file} ${what}`);
}
