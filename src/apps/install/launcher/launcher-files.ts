import { access, chmod, mkdir, rm } from "node:fs/promises";
import { join, relative, win32 } from "node:path";
import { parseObject } from "../../../base/kernel/json.ts";
import { OPENCLAW_PLUGIN } from "../../../edge/adapters/openclaw/install.ts";
import { OPENCODE_PLUGIN } from "../../../edge/adapters/opencode/install.ts";
import { PI_EXTENSION } from "../../../edge/adapters/pi-extension/install.ts";
import { restartDaemon } from "../../../edge/host/daemon/daemon-client.ts";
import { writeGate } from "../../../edge/host/gate/gate-files.ts";
import { gatePlace, hasGate } from "../../../edge/host/gate/gate-place.ts";
import { keepCopy, lastingFolder, lastingProgram } from "../../../edge/host/node/installed-copy.ts";
import { packageFolder } from "../../../edge/host/node/package-files.ts";
import { readRuntimes } from "../../../edge/host/opening/runtime-settings.ts";
import { unwatchLauncher } from "../../daemon/hook-guard/known-setup.ts";
import { recordFolders } from "../install-record.ts";
import { readSettings, writeSettings } from "../settings-file.ts";
import { launcherCmd } from "./launcher-cmd.ts";
import { elsewhereOf, type Installation, LAUNCHER_README, launcherScript } from "./launcher-script.ts";

/**
 * The program that runtimes start: `CONDUCT_HOME/bin/conduct`, on Windows `conduct.cmd`. The same for every
 * installation and version.
 */
export function launcherPath(home: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? win32.join(home, "bin", "conduct.cmd") : join(home, "bin", "conduct");
}

/** JavaScript plugins read here which module to load. */
function installationFile(home: string): string {
  return join(home, "bin", "installation.json");
}

function thisInstallation(home: string): Installation {
  return { node: process.execPath, program: lastingProgram(home) };
}

type LauncherState =
  | { readonly kind: "missing" }
  /** The launcher exists, but cannot start what it names. */
  | { readonly kind: "broken"; readonly why: string }
  | { readonly kind: "works"; readonly installation: Installation };

/** The installation that the launcher would start now. */
export async function readLauncher(home: string): Promise<LauncherState> {
  const [script, text] = [await readSettings(launcherPath(home)), await readSettings(installationFile(home))];
  if (script === undefined) return { kind: "missing" };
  const { node, program } = parseObject(text ?? "") ?? {};
  if (typeof node !== "string" || typeof program !== "string") {
    return { kind: "broken", why: `${installationFile(home)} cannot be read` };
  }
  if (script !== textOf(home, { node, program })) return { kind: "broken", why: "it is outdated" };
  for (const path of [program, node]) {
    if (!(await fileExists(path))) return { kind: "broken", why: `${path} is missing` };
  }
  return { kind: "works", installation: { node, program } };
}

function textOf(home: string, installation: Installation): string {
  if (process.platform === "win32") return launcherCmd(home, installation);
  return launcherScript(home, installation, elsewhereOf(home, installation));
}

/**
 * Makes the launcher start this installation, or a copy of it if others may delete the package. Returns whether
 * anything was written.
 */
export async function writeLauncher(home: string, installation = thisInstallation(home)): Promise<boolean> {
  const lasting = (path: string) => join(lastingFolder(home), relative(packageFolder(), path));
  const plugins = { opencode: lasting(OPENCODE_PLUGIN), pi: lasting(PI_EXTENSION), openclaw: lasting(OPENCLAW_PLUGIN) };
  // The running daemon is one of the package, not of the copy. If the copy's does not start, the next hook starts it.
  if (await keepCopy(home)) await restartDaemon(home).catch(() => undefined);
  const files: readonly (readonly [string, string])[] = [
    [installationFile(home), `${JSON.stringify({ ...installation, plugins }, null, 2)}\n`],
    [join(home, "bin", "README"), LAUNCHER_README],
    [launcherPath(home), textOf(home, installation)],
  ];
  await mkdir(join(home, "bin"), { recursive: true, mode: 0o700 });
  let changed = false;
  for (const [path, text] of files) {
    if ((await readSettings(path)) === text) continue;
    if (path === launcherPath(home)) await unwatchLauncher(home);
    await writeSettings(path, text);
    changed = true;
  }
  await chmod(launcherPath(home), 0o700);
  return (hasGate(process.platform) && writeGate(home, process.env.PATH, "exact")) || changed;
}

/** Repairs a launcher whose installation is gone; a missing or working one is left alone. */
export async function repairLauncher(home: string): Promise<boolean> {
  return (await readLauncher(home)).kind === "broken" && (await writeLauncher(home));
}

/** Removes the launcher and the exec gate if no installed runtime uses it any more. */
export async function removeUnusedLauncher(home: string): Promise<void> {
  const runtimes = await readRuntimes(home);
  const startedByClients = "acp" in runtimes || "mcp" in runtimes;
  if (startedByClients || (await recordFolders(home)).length > 0) return;
  for (const folder of [join(home, "bin"), gatePlace(home).folder]) await rm(folder, { recursive: true, force: true });
}

async function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
