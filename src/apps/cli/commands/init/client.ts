import { readRuntimes, UNSET_RUNTIME, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import type { StartedRuntime } from "../../../install/client-command.ts";
import { launcherPath, removeUnusedLauncher, writeLauncher } from "../../../install/launcher/launcher-files.ts";
import type { Outcome } from "../../line/outcome.ts";
import { refuseAgent } from "./answers.ts";
import type { InitWorld } from "./world.ts";

/**
 * Makes what a client starts (ACP, MCP) startable: the launcher is written, and the runtime is noted as enforced unless it was set up
 * before. The client's own settings are for the person to change. An outcome when an agent asks for it.
 */
export async function setUpClient(
  { name }: StartedRuntime,
  world: InitWorld,
): Promise<{ readonly enforcement: "enforce" | "shadow" } | { readonly refused: Outcome }> {
  const refused = refuseAgent(world, "sets up runtimes", `conduct init ${name}`);
  if (refused !== undefined) return { refused };
  await writeLauncher(world.home);
  const { [name]: before } = await readRuntimes(world.home);
  if (before !== undefined) return { enforcement: before.enforcement };
  const since = new Date(world.now()).toISOString();
  await writeRuntime(world.home, name, { ...UNSET_RUNTIME, since });
  return { enforcement: UNSET_RUNTIME.enforcement };
}

/** Forgets the runtime, and the launcher with it when nothing else starts that. */
export async function removeClient({ name, title }: StartedRuntime, world: InitWorld): Promise<Outcome> {
  const refused = refuseAgent(world, "takes runtimes out", `conduct init ${name} --undo`);
  if (refused !== undefined) return refused;
  const { [name]: before } = await readRuntimes(world.home);
  if (before !== undefined) await writeRuntime(world.home, name, undefined);
  await removeUnusedLauncher(world.home);
  const text = `\n  ${title} is not set up any more. Take the entry that starts ${launcherPath(world.home)} out of the client's settings.\n\n`;
  const next = [{ command: `conduct init ${name}`, description: "Set it up again" }];
  return { ok: true, result: { runtime: name, changed: before !== undefined }, text, next };
}
