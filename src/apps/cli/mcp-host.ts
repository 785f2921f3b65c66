import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { nearest } from "../../base/kernel/nearest.ts";
import type { Agent } from "../../base/words/agent.ts";
import { conductHome } from "../../edge/host/conduct-home.ts";
import { bindAgents, settingsFor } from "../../edge/host/daemon-agents.ts";
import { daemonHost } from "../../edge/host/daemon-host.ts";
import { daemonPlace } from "../../edge/host/daemon-place.ts";
import { knock } from "../../edge/host/hook-socket-client.ts";
import { loadConfigFile } from "../../edge/host/load-config.ts";
import { localHost } from "../../edge/host/local-host.ts";
import { openConduct } from "../../edge/host/open-conduct.ts";
import { defineAgent } from "../../engine/agent/define-agent.ts";
import type { SessionHost } from "../../engine/moments/session-moments.ts";
import type { DeclaredChannels } from "../../engine/moments/session-ports.ts";
import type { Outcome } from "./outcome.ts";
import { renderFaults } from "./render-faults.ts";
import type { Terminal } from "./terminal.ts";

/** Whose sessions an MCP command opens. What is left out is chosen by whoever opens them. */
export type McpWho = { readonly runtime: "mcp" | "acp"; readonly agent?: string; readonly user?: string };

/** Where sessions are opened, said in words, and how to let go of it. */
export type McpHost = { readonly host: SessionHost; readonly where: string; close(): Promise<void> };

/**
 * The daemon where a program has named its socket, or one listens for this home; else Conduct in this process, on the
 * operator's own configuration.
 */
export async function mcpHost(
  who: McpWho,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<McpHost | { readonly outcome: Outcome }> {
  const home = conductHome(env);
  const user = who.user ?? accountName();
  if (env.CONDUCT_SOCKET || (await knock(daemonPlace(home).socket))) {
    const unknown = env.CONDUCT_SOCKET ? undefined : await unknownAgent(who.runtime, who.agent, home, terminal.cwd);
    return (
      unknown ?? { host: asWho(daemonHost(env), who.agent, user), where: "the daemon", close: async () => undefined }
    );
  }
  const configured = await agentsOf(home, terminal);
  if ("outcome" in configured) return configured;
  const agent = chooseAgent(configured.agents, who.agent);
  if ("message" in agent) return agentUnknown(agent.message, configured.agents);
  const { agents, channels } = configured;
  const conduct = openConduct({ agents, channels, workspace: terminal.cwd, home });
  const sessionOptions = () => ({ channel: "cli", ...(user === undefined ? {} : { user }) });
  return {
    host: localHost(conduct, { agent: agent.name, sessionOptions }),
    where: `this process, agent ${agent.name}`,
    close: () => conduct.close(),
  };
}

/** Every session of this command has the agent and the user that it was given. */
function asWho(host: SessionHost, agent: string | undefined, user: string | undefined): SessionHost {
  const who = { ...(agent === undefined ? {} : { agent }), ...(user === undefined ? {} : { user }) };
  return { open: (origin) => host.open({ ...origin, ...who }) };
}

/** The daemon would refuse every session: said before a client waits for one. What else is wrong the daemon says itself. */
async function unknownAgent(runtime: string, agent: string | undefined, home: string, cwd: string) {
  const bound = agent === undefined ? undefined : await bindAgents(home, cwd);
  if (bound?.kind !== "ready") return undefined;
  const settings = settingsFor(runtime, bound, agent);
  return "message" in settings ? agentUnknown(settings.message, bound.agents) : undefined;
}

function agentUnknown(message: string, agents: readonly Agent[]): { readonly outcome: Outcome } {
  const fix = `--agent ${agents[0]?.name ?? "NAME"}`;
  return { outcome: { ok: false, code: "AGENT_UNKNOWN", message, fix, next: [] } };
}

type Configured = { readonly agents: readonly Agent[]; readonly channels: DeclaredChannels };

/** Those of `CONDUCT_HOME/conduct.yaml`. Without one: an agent with nothing of its own, under the contract and the guards. */
async function agentsOf(home: string, { paint }: Terminal): Promise<Configured | { readonly outcome: Outcome }> {
  const file = join(home, "conduct.yaml");
  if (!existsSync(file)) return { agents: [defineAgent({ name: "default" })], channels: {} };
  const loaded = await loadConfigFile(file);
  const next = [{ command: `conduct config check ${file}`, description: "Check the file" }];
  if ("error" in loaded) return { outcome: { ok: false, ...loaded.error, next } };
  const { parsed, texts } = loaded;
  if (!("faults" in parsed)) return { agents: parsed.agents, channels: parsed.channels };
  const message = `${file} has faults: nothing is served before they are corrected\n${renderFaults(parsed.faults, texts, "fault", paint)}`;
  const fix = `conduct config check ${file}`;
  return { outcome: { ok: false, code: "CONFIG_INVALID", message, fix, result: { faults: parsed.faults }, next } };
}

/** The one that was named; else the only one there is, or `default`. */
function chooseAgent(agents: readonly Agent[], given: string | undefined): Agent | { readonly message: string } {
  const names = agents.map(({ name }) => name);
  const [only] = agents;
  const named = agents.find(({ name }) => name === (given ?? "default"));
  if (named !== undefined) return named;
  if (given === undefined && only !== undefined && agents.length === 1) return only;
  if (given === undefined) return { message: `which agent? There are ${names.join(", ")}, and none is called default` };
  const meant = nearest(given, names);
  return {
    message: `no agent '${given}'${meant === undefined ? "" : `: did you mean '${meant}'?`}; there are: ${names.join(", ")}`,
  };
}

/** Whose memory and instructions it is on this machine. */
function accountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // An account without a name, as in some containers.
    return undefined;
  }
}
