import { homedir } from "node:os";
import { relative } from "node:path";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import { type BoundAgents, bindAgents, type ConfigUsed, knownAgents } from "../../../edge/host/daemon/daemon-agents.ts";
import { conductHome } from "../../../edge/host/workspace/conduct-home.ts";
import type { DeclaredChannels } from "../../../engine/session/session-options.ts";
import { hang, quoted } from "../../shared/printable.ts";
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
};

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
  const bound = await bindAgents(home, cwd, flag);
  const { config } = bound;
  if (bound.kind === "ready") {
    return { config, agents: knownAgents(bound), channels: bound.channels, loaded: bound.loaded };
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

/** The file in one line, and a line for every file of the workspace that has no effect. */
export function configLines(used: ConfigUsed, { cwd, paint, columns, invocation }: Terminal): string {
  const row = (label: string, text: string) =>
    hang(`  ${label.padEnd(8)} `, text, columns).map((line) => paint("dim", line));
  const skipped = used.faults.flatMap(({ where, message }) => {
    const text = message.replace(/; it is left out$/, "").replace("conduct trust", `${invocation} trust`);
    return row("skipped", `${shortPath(where, cwd)}: ${text}`);
  });
  return ["", ...row("config", configText(used, cwd)), ...skipped, ""].join("\n");
}

/** `~/.conduct/conduct.yaml + conduct.yaml` */
export function configText({ file, added }: ConfigUsed, cwd: string): string {
  const base = file === undefined ? "built in (no conduct.yaml found)" : shortPath(file, cwd);
  return added === undefined ? base : `${base} + ${shortPath(added, cwd)}`;
}

/** Relative to the folder if inside it, else below `~` if possible. */
export function shortPath(path: string, cwd: string): string {
  if (path.startsWith(`${cwd}/`)) return relative(cwd, path);
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
