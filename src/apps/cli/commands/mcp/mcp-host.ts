import { errorText } from "../../../../base/kernel/error-text.ts";
import { type RuntimeBinding, resolveRuntime } from "../../../../edge/host/daemon/daemon-agents.ts";
import { ensureDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { daemonHost } from "../../../../edge/host/daemon/daemon-host.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { remoteHost } from "../../../../edge/host/daemon/remote-session.ts";
import { isWatched } from "../../../../edge/host/watched/failure-rule.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { SessionHost } from "../../../../engine/session/session-moments.ts";
import type { McpArgs } from "../../declared/setup-commands.ts";
import { renderFaults } from "../../line/file-faults.ts";
import { failed, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { configText } from "../../stores/config-text.ts";

/** The owner of the sessions that an MCP command opens. The host chooses missing fields. */
export type McpWho = { readonly runtime: "mcp" | "acp"; readonly agent?: string; readonly user?: string };

/** A session host; `bound` says in one line which agent applies and which process decides. */
type McpHost = { readonly host: SessionHost; readonly bound: string; close(): Promise<void> };

/**
 * The sessions of `conduct acp` and `conduct mcp`. Like those of hooks, they are decided by the daemon, which is
 * started if necessary, or in this process if it cannot be started. Agent, rules and enforcement are the same either
 * way.
 */
export async function mcpHost(
  who: McpWho,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<McpHost | { readonly outcome: Outcome }> {
  const home = conductHome(env);
  const done = async () => undefined;
  if (env.CONDUCT_SOCKET) {
    const host = asWho(daemonHost(env), who);
    return { host, bound: `decided by the daemon at ${env.CONDUCT_SOCKET}`, close: done };
  }
  const binding = await resolveRuntime(who.runtime, { home, workspace: terminal.cwd, named: who.agent });
  const refused = refusalOf(binding, who.runtime, home, terminal);
  if (refused !== undefined) return { outcome: refused };
  const about = describeBinding(binding, terminal.cwd);
  try {
    await ensureDaemon(home);
    const bound = `${about}; decided by the daemon`;
    return { host: asWho(daemonHost(env), who), bound, close: done };
  } catch (error) {
    const { openRequests } = await import("../../../daemon/requests.ts");
    const requests = await openRequests(home, env);
    const host = remoteHost({
      socket: daemonPlace(home).socket,
      home,
      send: (request, limit) => requests.handle(request, typeof limit === "number" ? undefined : limit.onWaits),
    });
    const bound = `${about}; decided in this process, because ${errorText(error)}`;
    return { host: asWho(host, who), bound, close: () => requests.close() };
  }
}

/** `bound as coding, enforced`, with the reason if the runtime was not set up. */
function describeBinding(binding: RuntimeBinding, cwd: string): string {
  if (binding.kind !== "bound") return `shadow mode, not recorded: ${binding.message}`;
  const { agent, settings, config, isSetUp } = binding;
  const how = settings.enforcement === "enforce" ? "enforced" : "in shadow mode";
  const why = settings.enforcement === "enforce" && !isSetUp ? " (not set up)" : "";
  return `agent ${agent.name}, ${how}${why}; config ${configText(config, cwd)}`;
}

/** Without a user, the daemon takes that of the runtime's settings, else the account's name. */
function asWho(host: SessionHost, { agent, user }: McpWho): SessionHost {
  return { open: (origin) => host.open({ ...origin, agent, user }) };
}

/** Fails early if every session would be refused. A runtime in shadow mode starts anyway. */
function refusalOf(binding: RuntimeBinding, runtime: string, home: string, terminal: Terminal): Outcome | undefined {
  if (binding.kind === "bound" || isWatched(home, runtime)) return undefined;
  if (binding.kind === "broken") return configBroken(binding, terminal);
  const fix = `--agent ${binding.agents[0] ?? "NAME"}`;
  return failed("AGENT_UNKNOWN", binding.message, fix);
}

/** Shows every fault of the file in its place. */
function configBroken(
  { message: why, loaded, config }: Extract<RuntimeBinding, { readonly kind: "broken" }>,
  { paint }: Terminal,
): Outcome {
  const fix = `conduct config check ${config.file ?? ""}`.trim();
  const next = [{ command: fix, description: "Check the file" }];
  if (loaded === undefined || !("faults" in loaded.parsed)) return failed("CONFIG_INVALID", why, fix, { next });
  const { faults } = loaded.parsed;
  const shown = renderFaults(faults, loaded.texts, "fault", paint);
  const message = `${config.file} has faults: correct them before serving\n${shown}`;
  return failed("CONFIG_INVALID", message, fix, { result: { faults }, next });
}

/** Shared by both commands. `log` is for the person: stdout belongs to the protocol. */
export type McpRun = {
  readonly args: McpArgs;
  readonly opened: McpHost;
  readonly waitMs: number;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
};

/** Resolves on SIGINT or SIGTERM. */
export function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
