import { access, chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseObject } from "../../../base/kernel/json.ts";
import { OPENCLAW_PLUGIN } from "../../../edge/adapters/openclaw/install.ts";
import { OPENCODE_PLUGIN } from "../../../edge/adapters/opencode/install.ts";
import { PI_EXTENSION } from "../../../edge/adapters/pi-extension/install.ts";
import { conductProgram } from "../../../edge/host/node/package-files.ts";
import { readRuntimes } from "../../../edge/host/opening/runtime-settings.ts";
import { isMissing } from "../../../edge/host/workspace/resolve-path.ts";
import { unwatchLauncher } from "../../daemon/hook-guard/known-setup.ts";
import { readSettings, writeSettings } from "../settings-file.ts";
import { type Installation, launcherScript } from "./launcher-script.ts";

/** The text of `CONDUCT_HOME/bin/README`: how to remove Conduct after its installation is gone. */
const LAUNCHER_README = `This folder belongs to Conduct. Coding runtimes start the program \`conduct\` in it.

If Conduct was moved or deleted, install it again and run \`conduct init RUNTIME\` (for example \`conduct init codex\`).

To remove Conduct from a runtime by hand:

claude-code  ~/.claude/settings.json: delete the hooks whose url has /hooks/claude-code or whose command ends in "# conduct"
             ~/.claude.json: delete "conduct" under "mcpServers"
codex        ~/.codex/hooks.json: delete the hooks whose command has "The Conduct hook did not answer"
             ~/.codex/config.toml: delete the lines that end in "# conduct init codex"
opencode     delete ~/.config/opencode/plugin/conduct.js
pi           delete ~/.pi/agent/extensions/conduct.ts
openclaw     ~/.openclaw/openclaw.json: delete "conduct" under "plugins.entries" and this folder under "plugins.load.paths"
acp, mcp     delete the entry that starts this program from your editor's or client's settings

The files as they were before Conduct came are in the folder init, next to this one.
`;

/** The program that runtimes start: `CONDUCT_HOME/bin/conduct`. The same for every installation and version. */
export function launcherPath(home: string): string {
  return join(home, "bin", "conduct");
}

/** JavaScript plugins read here which module to load. */
function installationFile(home: string): string {
  return join(home, "bin", "installation.json");
}

function thisInstallation(): Installation {
  return { node: process.execPath, program: conductProgram() };
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
  if (script !== launcherScript(home, { node, program }))
    return { kind: "broken", why: "it is not as this version needs it" };
  for (const path of [program, node]) {
    if (!(await fileExists(path))) return { kind: "broken", why: `${path} is missing` };
  }
  return { kind: "works", installation: { node, program } };
}

/** Makes the launcher start this installation. Returns whether anything was written. */
export async function writeLauncher(home: string, installation: Installation = thisInstallation()): Promise<boolean> {
  const plugins = { opencode: OPENCODE_PLUGIN, pi: PI_EXTENSION, openclaw: OPENCLAW_PLUGIN };
  const files: readonly (readonly [string, string])[] = [
    [installationFile(home), `${JSON.stringify({ ...installation, plugins }, null, 2)}\n`],
    [join(home, "bin", "README"), LAUNCHER_README],
    [launcherPath(home), launcherScript(home, installation)],
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
  return changed;
}

/** Repairs a launcher whose installation is gone; a missing or working one is left alone. */
export async function repairLauncher(home: string): Promise<boolean> {
  return (await readLauncher(home)).kind === "broken" && (await writeLauncher(home));
}

/** Removes the launcher if no installed runtime uses it any more. */
export async function removeUnusedLauncher(home: string): Promise<void> {
  const runtimes = await readRuntimes(home);
  const startedByClients = "acp" in runtimes || "mcp" in runtimes;
  if (startedByClients || (await hasRecords(home))) return;
  await rm(join(home, "bin"), { recursive: true, force: true });
}

async function hasRecords(home: string): Promise<boolean> {
  try {
    return (await readdir(join(home, "init"))).length > 0;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
