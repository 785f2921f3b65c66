import { createRequire } from "node:module";
import type { registerConduct } from "../load.ts";
import type { OpenClawApi } from "../native.ts";
import manifest from "./openclaw.plugin.json" with { type: "json" };

/**
 * What OpenClaw loads. It runs copies of a plugin's files, several in one process: what holds the conversations must be there once,
 * and is loaded from where it really is.
 */
export default {
  id: manifest.id,
  name: manifest.name,
  description: manifest.description,
  register(api: OpenClawApi): void {
    const load: { registerConduct: typeof registerConduct } = createRequire(api.source)("../load.ts");
    load.registerConduct(api, manifest.contracts.tools, abort);
  },
};

/** Found by OpenClaw, for the plugins that it loads. */
const SDK = "openclaw/plugin-sdk/agent-harness-runtime";

/** Ends a run at once; without it every further call of the run is refused. */
async function abort(sessionId: string): Promise<void> {
  const sdk: { abortAgentHarnessRun?(id: string): boolean } = await import(SDK);
  sdk.abortAgentHarnessRun?.(sessionId);
}
