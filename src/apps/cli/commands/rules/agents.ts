import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { demoAgent } from "../../../../edge/host/opening/demo-agent.ts";
import { loadConfigFile } from "../../../../edge/host/opening/load-config.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";

/** The agents of the operator's own conduct.yaml; empty if the file cannot be read. */
export async function configuredAgents(): Promise<readonly Agent[]> {
  const path = join(conductHome(), "conduct.yaml");
  if (!existsSync(path)) return [demoAgent()];
  const loaded = await loadConfigFile(path);
  return "error" in loaded || "faults" in loaded.parsed ? [] : loaded.parsed.agents;
}
