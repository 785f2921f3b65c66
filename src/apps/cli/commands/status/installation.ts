import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { ConfigUsed } from "../../../../edge/host/daemon/daemon-agents.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { findConfig } from "../../../../edge/host/workspace/find-config.ts";
import { findProgram } from "../../../install/find-program.ts";
import type { RuntimeName } from "../../../install/runtime.ts";
import type { JournalWorld } from "../../stores/with-store.ts";

/** The programs of the runtimes that `conduct init` can set up. */
const PROGRAMS: { readonly [R in RuntimeName]: string } = {
  "claude-code": "claude",
  codex: "codex",
  gemini: "gemini",
  copilot: "copilot",
  cursor: "cursor-agent",
  opencode: "opencode",
  pi: "pi",
  openclaw: "openclaw",
};

/** How Conduct is installed on this machine. `broken` says why the configuration cannot be used. */
export type Installation = {
  readonly config: ConfigUsed & { readonly broken?: string };
  /** A remark on the project's rules, if there is one. */
  readonly tests?: string;
  /** Files that were imported and have changed since. */
  readonly imported: readonly string[];
  /** Runtimes on the PATH, whether set up or not. */
  readonly found: readonly string[];
  readonly daemon: { readonly pid?: number; readonly fault?: string };
  readonly gateway: { readonly pid: number; readonly url?: string } | null;
};

/** Loads only what is needed: on a new machine there is neither a configuration nor a daemon. Never rejects. */
export async function readInstallation({ home, env }: JournalWorld, cwd: string): Promise<Installation> {
  const [config, daemon, gateway] = await Promise.all([readConfig(home, cwd), readDaemon(home), readGateway(home)]);
  const found = Object.entries(PROGRAMS).flatMap(([name, program]) => (findProgram(program, env) ? [name] : []));
  const [tests, imported] = [await testsIn(config, cwd), await importedIn(config)];
  return { config, tests, imported, found, daemon, gateway };
}

async function importedIn({ from, file }: ConfigUsed): Promise<readonly string[]> {
  if (from !== "project" || file === undefined || !existsSync(join(dirname(file), "imported"))) return [];
  const { changedSources } = await import("../../../import/import-record.ts");
  return changedSources(file);
}

async function testsIn({ from, file }: ConfigUsed, cwd: string): Promise<string | undefined> {
  if (from !== "project" || file === undefined) return undefined;
  const { testsAppeared } = await import("../../../install/project-config-text.ts");
  return testsAppeared(file, cwd);
}

async function readConfig(home: string, cwd: string): Promise<Installation["config"]> {
  const { base, added } = findConfig({ home, folder: cwd });
  if (base === undefined && added.length === 0) return { from: "built-in", faults: [] };
  const { bindAgents } = await import("../../../../edge/host/daemon/daemon-agents.ts");
  const bound = await bindAgents(home, cwd);
  return bound.kind === "broken" ? { ...bound.config, broken: bound.message } : bound.config;
}

async function readDaemon(home: string): Promise<Installation["daemon"]> {
  if (!existsSync(daemonPlace(home).socket)) return {};
  const { helloDaemon } = await import("../../../../edge/host/daemon/daemon-client.ts");
  return helloDaemon(home).then(
    ({ pid }) => ({ pid }),
    (error: unknown) => (error instanceof Error && error.name === "NoDaemonError" ? {} : { fault: errorText(error) }),
  );
}

async function readGateway(home: string): Promise<Installation["gateway"]> {
  if (!existsSync(join(home, "run", "gateway.json"))) return null;
  const { readRunning } = await import("../../../../edge/stores/gateway-lock/running-gateway.ts");
  const running = readRunning(home);
  if (running === undefined || (running.host === hostname() && !isAlive(running.pid))) return null;
  return { pid: running.pid, url: running.url };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
