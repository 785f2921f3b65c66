import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import { nodeClock } from "../../../edge/host/node/node-clock.ts";
import { findSandbox } from "../../../edge/host/sandbox/find-sandbox.ts";
import type { MachineViewOptions } from "../../../edge/host/sandbox/machine-view.ts";
import { HostedServers, type ServerStatus } from "./hosted-servers.ts";
import { KnownTools } from "./known-tools.ts";

/** Starts the agents' servers once in a sandbox of their own, for `conduct doctor`. Changes no file of the gateway. */
export async function tryServers(
  agents: readonly Agent[],
  place: Pick<MachineViewOptions, "home" | "env" | "programs">,
): Promise<readonly ServerStatus[]> {
  const folder = await mkdtemp(join(tmpdir(), "conduct-doctor-"));
  const quiet = () => undefined;
  try {
    const servers = new HostedServers({
      sandbox: await findSandbox({ ...place, folder }),
      env: place.env,
      clock: nodeClock(),
      known: new KnownTools(join(folder, "mcp-tools.json"), quiet),
      serversOf: (name) => agents.find((agent) => agent.name === name)?.mcpServers ?? {},
      roleOf: async () => "operator",
      record: quiet,
      report: quiet,
    });
    const found = await servers.trial(agents.map(({ name }) => name));
    await servers.close();
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
