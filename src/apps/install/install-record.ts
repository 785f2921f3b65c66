import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { sha256 } from "../../base/kernel/canonical-json.ts";
import { asList, asString, isObject, parseObject } from "../../base/kernel/json.ts";
import { isMissing } from "../../edge/host/workspace/resolve-path.ts";
import type { RuntimeName } from "./runtime.ts";
import { readSettings, writeSettings } from "./settings-file.ts";

/** A changed file: `backup` is the original, absent if there was none; `sha256` is the hash of the content we wrote. */
export type ChangedFile = {
  readonly path: string;
  readonly backup?: string;
  readonly sha256: string;
  /** The topmost folder that was created for it. */
  readonly made?: string;
  /** The mode of the original; some runtimes write their files with another one. */
  readonly mode?: number;
};

/** The record of a `conduct init`, for undo. Saved in `CONDUCT_HOME/init/`. */
export type InstallRecord = {
  readonly runtime: RuntimeName;
  readonly project?: string;
  readonly at: string;
  readonly by: string;
  readonly files: readonly ChangedFile[];
};

/** The folder with the record of one runtime, or of one project of it, and the original files. */
export function recordFolder(home: string, runtime: RuntimeName, project?: string): string {
  const name = project === undefined ? runtime : `${runtime}-${sha256(project).slice(0, 12)}`;
  return join(home, "init", name);
}

/** Returns `undefined` if there is none. Rejects, naming the file, if it is invalid. */
export async function readRecord(folder: string): Promise<InstallRecord | undefined> {
  const file = join(folder, "record.json");
  const text = await readSettings(file);
  if (text === undefined) return undefined;
  const record = parseObject(text);
  if (record === undefined || !Array.isArray(record.files)) {
    throw new Error(`${file} is not valid; the original files are next to it`);
  }
  const { runtime, project, at, by, files } = record;
  return {
    runtime: asString(runtime) as RuntimeName,
    ...(typeof project === "string" ? { project } : {}),
    at: asString(at),
    by: asString(by),
    files: asList(files)
      .filter(isObject)
      .map(({ path, backup, sha256: hash, made, mode }) => ({
        path: asString(path),
        ...(typeof backup === "string" ? { backup } : {}),
        sha256: asString(hash),
        ...(typeof made === "string" ? { made } : {}),
        ...(typeof mode === "number" ? { mode } : {}),
      })),
  };
}

export async function writeRecord(folder: string, record: InstallRecord): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeSettings(join(folder, "record.json"), `${JSON.stringify(record, null, 2)}\n`);
}

export async function dropRecord(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Saves the original file; returns the name of the backup. */
export async function keepBackup(folder: string, path: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `before-${sha256(path).slice(0, 8)}-${basename(path)}`;
  await writeSettings(join(folder, name), text);
  return name;
}

/** The file as it was before Conduct was installed. */
export function readBackup(folder: string, { backup }: ChangedFile): Promise<string | undefined> {
  return backup === undefined ? Promise.resolve(undefined) : readSettings(join(folder, backup));
}

/** Is the runtime installed anywhere, for the account or for a project? */
export async function isInstalled(home: string, runtime: string): Promise<boolean> {
  return (await recordFolders(home, runtime)).length > 0;
}

/** The folders with the records of one runtime, or of all. */
export async function recordFolders(home: string, runtime = "any"): Promise<readonly string[]> {
  try {
    const names = await readdir(join(home, "init"));
    const own = new RegExp(`^${runtime === "any" ? "[a-z-]+?" : runtime}(-[0-9a-f]{12})?$`);
    return names.filter((name) => own.test(name)).map((name) => join(home, "init", name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
