import { dirname, join } from "node:path";
import { readRuntimes } from "../../../edge/host/opening/runtime-settings.ts";
import { changeSetup, readSetup, type Setup, type WatchedFile } from "../../../edge/host/switch/setup-record.ts";
import { readSwitchKey } from "../../../edge/host/switch/switch-key.ts";
import { type InstallRecord, readRecord, recordFolders } from "../../install/install-record.ts";
import { readSettings } from "../../install/settings-file.ts";
import { guardedKind, LAUNCHER } from "./guarded-file.ts";

/**
 * Records files written by Conduct's own commands: changes that switch their hooks off are detected from now on.
 * `folder` is the record's, in `CONDUCT_HOME/init`.
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

/**
 * Call before one of Conduct's commands changes or removes a runtime's files, so that this is not seen as tampering.
 */
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

/** Call before Conduct writes its launcher. `watchFiles` or the daemon's next start records the new one. */
export async function unwatchLauncher(home: string): Promise<void> {
  const setup = readSetup(home);
  if (typeof setup === "string" || !setup.files.some(({ runtime }) => runtime === LAUNCHER)) return;
  await changeSetup(home, (now) => ({ ...now, files: now.files.filter(({ runtime }) => runtime !== LAUNCHER) }));
}

function homeOf(folder: string): string {
  return dirname(dirname(folder));
}

/**
 * The record to compare files with at startup. `doubt`: the signed record was removed or changed, so the current files
 * are used and earlier changes cannot be detected.
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
  return { setup, doubt: hadKey ? "it was removed" : undefined };
}

/** After `conduct init --undo` of one runtime, the launcher of the others is not watched yet. */
async function withLauncher(home: string, setup: Setup): Promise<Setup> {
  if (setup.files.length === 0 || setup.files.some(({ runtime }) => runtime === LAUNCHER)) return setup;
  const launcher = await launcherOf(home);
  return launcher.length === 0
    ? setup
    : changeSetup(home, (before) => ({ ...before, files: [...before.files, ...launcher] }));
}

async function recordsOf(home: string): Promise<readonly InstallRecord[]> {
  const folders = await recordFolders(home).catch(() => []);
  const found = await Promise.all(folders.map((folder) => readRecord(folder).catch(() => undefined)));
  return found.filter((record) => record !== undefined);
}

async function filesOf({ runtime, project, files }: InstallRecord): Promise<readonly WatchedFile[]> {
  const found: WatchedFile[] = [];
  for (const { path } of files) {
    if (guardedKind(runtime, path) === undefined) continue;
    const text = (await readSettings(path).catch(() => undefined)) ?? "";
    found.push({ path, runtime, project, text });
  }
  return found;
}

async function launcherOf(home: string): Promise<readonly WatchedFile[]> {
  const path = join(home, "bin", "conduct");
  const text = await readSettings(path).catch(() => undefined);
  return text === undefined ? [] : [{ path, runtime: LAUNCHER, text }];
}
