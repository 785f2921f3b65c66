import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readRuntimes } from "../../../edge/host/opening/runtime-settings.ts";
import { changeSetup, readSetup, type Setup, type WatchedFile } from "../../../edge/host/switch/setup-record.ts";
import { readSwitchKey } from "../../../edge/host/switch/switch-key.ts";
import { type InstallRecord, readRecord } from "../../install/record.ts";
import { readSettings } from "../../install/settings-file.ts";
import { guardedKind, LAUNCHER } from "./guarded-file.ts";

/**
 * Conduct's own commands have written these files: from now on a change that switches the hooks in them off is noticed.
 * `folder` is that of the record, in `CONDUCT_HOME/init`.
 */
export async function watchFiles(folder: string, record: InstallRecord | undefined): Promise<void> {
  const home = homeOf(folder);
  const found = [...(record === undefined ? [] : await filesOf(record)), ...(await launcherOf(home))];
  const paths = new Set(found.map(({ path }) => path));
  await changeSetup(home, (setup) => ({
    ...setup,
    files: [...setup.files.filter(({ path }) => !paths.has(path)), ...found],
  }));
}

/** A command of Conduct's is about to change or remove the files of this runtime: that is no tampering. */
export async function unwatchFiles(
  folder: string,
  { runtime, project }: Pick<InstallRecord, "runtime" | "project">,
): Promise<void> {
  const isTheirs = (file: WatchedFile) => file.runtime === runtime && file.project === project;
  await changeSetup(homeOf(folder), (setup) => ({
    ...setup,
    files: setup.files.filter((file) => file.runtime !== LAUNCHER && !isTheirs(file)),
  }));
}

/** Conduct itself is about to write its launcher. `watchFiles` or the daemon's next start records the new one. */
export async function unwatchLauncher(home: string): Promise<void> {
  const setup = readSetup(home);
  if (typeof setup === "string" || !setup.files.some(({ runtime }) => runtime === LAUNCHER)) return;
  await changeSetup(home, (now) => ({ ...now, files: now.files.filter(({ runtime }) => runtime !== LAUNCHER) }));
}

function homeOf(folder: string): string {
  return dirname(dirname(folder));
}

/**
 * The record to hold files against when the daemon starts. `doubt` says why it is only what lies on the disk now: somebody
 * removed or changed the signed record, so an earlier change cannot be told any more.
 */
export async function setupAtStart(home: string): Promise<{ readonly setup: Setup; readonly doubt?: string }> {
  const read = readSetup(home);
  if (typeof read !== "string") return { setup: await withLauncher(home, read) };
  const hadKey = readSwitchKey(home) !== undefined;
  const records = await recordsOf(home);
  const runtimes = await readRuntimes(home).catch(() => ({}));
  if (read === "none" && records.length === 0 && Object.keys(runtimes).length === 0) {
    return { setup: { runtimes, files: [] } };
  }
  const files = [...(await Promise.all(records.map(filesOf))).flat(), ...(await launcherOf(home))];
  const setup = await changeSetup(home, () => ({ runtimes, files }));
  if (read === "forged") return { setup, doubt: "its signature is wrong" };
  return hadKey ? { setup, doubt: "it was removed" } : { setup };
}

/** After `conduct init --undo` of one runtime the launcher of the others is not watched yet. */
async function withLauncher(home: string, setup: Setup): Promise<Setup> {
  if (setup.files.length === 0 || setup.files.some(({ runtime }) => runtime === LAUNCHER)) return setup;
  const launcher = await launcherOf(home);
  return launcher.length === 0
    ? setup
    : changeSetup(home, (before) => ({ ...before, files: [...before.files, ...launcher] }));
}

async function recordsOf(home: string): Promise<readonly InstallRecord[]> {
  const names = await readdir(join(home, "init")).catch(() => []);
  const found = await Promise.all(names.map((name) => readRecord(join(home, "init", name)).catch(() => undefined)));
  return found.filter((record) => record !== undefined);
}

async function filesOf({ runtime, project, files }: InstallRecord): Promise<readonly WatchedFile[]> {
  const found: WatchedFile[] = [];
  for (const { path } of files) {
    if (guardedKind(runtime, path) === undefined) continue;
    const text = (await readSettings(path).catch(() => undefined)) ?? "";
    found.push(project === undefined ? { path, runtime, text } : { path, runtime, project, text });
  }
  return found;
}

async function launcherOf(home: string): Promise<readonly WatchedFile[]> {
  const path = join(home, "bin", "conduct");
  const text = await readSettings(path).catch(() => undefined);
  return text === undefined ? [] : [{ path, runtime: LAUNCHER, text }];
}
