import { createRequire } from "node:module";
import type { registerConduct } from "../load.ts";
import type { OpenClawApi } from "../native.ts";
import manifest from "./openclaw.plugin.json" with { type: "json" };

/**
 * The plugin that OpenClaw loads. OpenClaw runs several copies of a plugin's files in one process, but the
 * conversations must exist once, so that module is loaded from its real path.
 */
export default {
  id: manifest.id,
  name: manifest.name,
  description: manifest.description,
  /** Called by OpenClaw when it loads the plugin. */
  register(api: OpenClawApi): void {
    const path = api.source.endsWith(".ts") ? "../load.ts" : "../openclaw-load.mjs";
    const load: { registerConduct: typeof registerConduct } = createRequire(api.source)(path);
    load.registerConduct(api, manifest.contracts.tools, abort);
  },
};

/** OpenClaw resolves it for the plugins that it loads. */
const SDK = "openclaw/plugin-sdk/agent-harness-runtime";

/** Ends a run at once; without it, every further call of the run is refused. */
async function abort(sessionId: string): Promise<void> {
  const sdk: { abortAgentHarnessRun?(id: string): boolean } = await import(SDK);
  sdk.abortAgentHarnessRun?.(sessionId);
}
