import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { BoundAgents, ConfigUsed } from "../../../edge/host/daemon/daemon-agents.ts";
import type { LoadedPlugin } from "../../../edge/host/opening/load-plugins.ts";
import { conductHome } from "../../../edge/host/workspace/conduct-home.ts";
import type { DeclaredChannels } from "../../../engine/session/session-options.ts";
import { quoted } from "../../shared/printable.ts";
import { faultsFound } from "../line/file-faults.ts";
import { type Failure, failed, type NextAction } from "../line/outcome.ts";
import type { Terminal } from "../line/terminal.ts";

type Ready = Extract<BoundAgents, { readonly kind: "ready" }>;
type Place = Pick<Terminal, "cwd" | "paint">;

/** The configuration in force here. `loaded` is the file that defines the agents, if there is one. */
export type ConfigHere = {
  readonly config: ConfigUsed;
  readonly agents: readonly Agent[];
  readonly channels: DeclaredChannels;
  readonly loaded?: Ready["loaded"];
  /** Every file that was read, or would have been if it were there. */
  readonly files: readonly string[];
};

/** The plugins that the file names, after their code has run. Faults become a failure. */
export async function pluginsHere(
  { loaded, config }: Pick<ConfigHere, "loaded" | "config">,
  { paint }: Pick<Terminal, "paint">,
  home: string = conductHome(),
): Promise<{ readonly plugins: readonly LoadedPlugin[] } | Failure> {
  if (loaded === undefined || loaded.parsed.plugins.length === 0) return { plugins: [] };
  const { loadPlugins } = await import("../../../edge/host/opening/load-plugins.ts");
  const { plugins, faults } = await loadPlugins(loaded, home);
  if (faults.length === 0) return { plugins };
  const check = { command: `conduct config check ${quoted(config.file ?? "")}`, description: "Check the file again" };
  return { ...faultsFound("CONFIG_INVALID", faults, loaded.texts, paint, [check]), config };
}

/**
 * Finds and reads the configuration as the daemon does for a session in this folder; `flag` is the value of `--config`.
 * Without a file, the built-in agents of the daemon and of the gateway apply. Faults become a failure.
 */
export async function configHere(
  flag: string | undefined,
  { cwd, paint }: Place,
  home: string = conductHome(),
  next: readonly NextAction[] = [],
): Promise<ConfigHere | Failure> {
  const { bindAgents, knownAgents } = await import("../../../edge/host/daemon/daemon-agents.ts");
  const bound = await bindAgents(home, cwd, flag);
  const { config } = bound;
  if (bound.kind === "ready") {
    return { config, agents: knownAgents(bound), channels: bound.channels, loaded: bound.loaded, files: bound.files };
  }
  const { message, error, loaded } = bound;
  const file = flag ?? config.file ?? "";
  const check = { command: `conduct config check ${quoted(file)}`, description: "Check the file again" };
  if (loaded === undefined || !("faults" in loaded.parsed)) {
    return failed(error?.code ?? "CONFIG_INVALID", message, error?.fix ?? check.command, { next });
  }
  const { faults } = loaded.parsed;
  const failure = faultsFound("CONFIG_INVALID", faults, loaded.texts, paint, [check, ...next]);
  return { ...failure, result: { file, faults }, config };
}
