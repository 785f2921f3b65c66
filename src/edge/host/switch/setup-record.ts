import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asList, isObject, parseObject } from "../../../base/kernel/json.ts";
import type { RuntimesSettings } from "../opening/runtime-settings.ts";
import { withFileLock } from "../workspace/file-lock.ts";
import { replaceFile } from "../workspace/own-files.ts";
import { isSignature, readSwitchKey, sign, switchKey } from "./switch-key.ts";

/** A settings or plugin file with Conduct's hooks, as of the last time they were complete. */
export type WatchedFile = {
  readonly path: string;
  readonly runtime: string;
  /** Set if the runtime is set up for one project only. */
  readonly project?: string;
  readonly text: string;
};

/** The operator's setup. Signed, so that changes made outside Conduct's own commands are detected. */
export type Setup = { readonly runtimes: RuntimesSettings; readonly files: readonly WatchedFile[] };

const NOTHING: Setup = { runtimes: {}, files: [] };

/** `CONDUCT_HOME/setup.json` */
export function setupFile(home: string): string {
  return join(home, "setup.json");
}

/** `none` if nothing was set up since this record was introduced; `forged` if Conduct did not write this content. */
export function readSetup(home: string): Setup | "none" | "forged" {
  try {
    const file = setupFile(home);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return "none";
    if (!found.isFile() || (found.mode & 0o022) !== 0) return "forged";
    const record = parseObject(readFileSync(file, "utf8"));
    if (record === undefined || !isObject(record.runtimes)) return "forged";
    const setup = { runtimes: record.runtimes, files: asList(record.files) } as unknown as Setup;
    const key = readSwitchKey(home);
    return key !== undefined && isSignature(key, setupText(setup), record.signature) ? setup : "forged";
  } catch {
    return "forged";
  }
}

/** Updates the record under a lock. A forged record is replaced by `known`, or by an empty one. */
export async function changeSetup(home: string, change: (setup: Setup) => Setup, known?: Setup): Promise<Setup> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return withFileLock(`${setupFile(home)}.lock`, async () => {
    const before = readSetup(home);
    const setup = change(typeof before === "string" ? (known ?? NOTHING) : before);
    const signed = { ...setup, signature: sign(switchKey(home), setupText(setup)) };
    replaceFile(setupFile(home), `${JSON.stringify(signed, null, 2)}\n`);
    return setup;
  });
}

function setupText({ runtimes, files }: Setup): string {
  return JSON.stringify(["setup", runtimes, files]);
}
