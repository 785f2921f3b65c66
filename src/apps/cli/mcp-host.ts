import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { nearest } from "../../base/kernel/nearest.ts";
import type { Agent } from "../../base/words/agent.ts";
import { conductHome } from "../../edge/host/conduct-home.ts";
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
export type McpWho = { readonly agent?: string; readonly user?: string };

/** Where sessions are opened, said in words, and how to let go of it. */
export type McpHost = { readonly host: SessionHost; readonly where: string; close(): Promise<void> };

/**
 * The daemon where a program has named its socket, or one listens for this home; else Conduct in this process, on the
 * operator's own configuration. A daemon knows by itself which agent and user a runtime has: who names them is served here.
 */
export async function mcpHost(
  who: McpWho,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<McpHost | { readonly outcome: Outcome }> {
  const home = conductHome(env);
  const chosen = who.agent !== undefined || who.user !== undefined;
  const listens = env.CONDUCT_SOCKET ? true : !chosen && (await knock(daemonPlace(home).socket));
  if (listens) return { host: daemonHost(env), where: "the daemon", close: async () => undefined };
  const configured = await agentsOf(home, terminal);
  if ("outcome" in configured) return configured;
  const agent = chooseAgent(configured.agents, who.agent);
  if ("message" in agent) {
    const fix = `--agent ${configured.agents[0]?.name ?? "NAME"}`;
    return { outcome: { ok: false, code: "AGENT_UNKNOWN", ...agent, fix, next: [] } };
  }
  const { agents, channels } = configured;
  const conduct = openConduct({ agents, channels, workspace: terminal.cwd, home });
  const user = who.user ?? accountName();
  const sessionOptions = () => ({ channel: "cli", ...(user === undefined ? {} : { user }) });
  return {
    host: localHost(conduct, { agent: agent.name, sessionOptions }),
    where: `this process, agent ${agent.name}`,
    close: () => conduct.close(),
  };
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
