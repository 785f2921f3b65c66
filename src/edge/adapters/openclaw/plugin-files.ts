import { pluginFileText } from "../plugin-file-text.ts";
import manifest from "./plugin/openclaw.plugin.json" with { type: "json" };

const FIRST_LINE =
  "// Conduct for OpenClaw. Written by `conduct init openclaw`, taken away by `conduct init openclaw --undo`.";

/** The files of the folder that OpenClaw is made to load, by name. They stay where they are when Conduct is moved. */
export function openclawPluginFiles(home: string): { readonly [name: string]: string } {
  return {
    "openclaw.plugin.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "index.ts": pluginFileText(FIRST_LINE, { runtime: "openclaw", home, options: {} }, BODY),
  };
}

/** A run is refused where Conduct is missing and OpenClaw is enforced; where it is only watched it goes on, with one warning. */
const BODY = `import { createRequire } from "node:module";

const abort = async (sessionId) => {
  const sdk = await import("openclaw/plugin-sdk/agent-harness-runtime");
  sdk.abortAgentHarnessRun?.(sessionId);
};

export default {
  id: ${JSON.stringify(manifest.id)},
  name: ${JSON.stringify(manifest.name)},
  description: ${JSON.stringify(manifest.description)},
  register(api) {
    let load;
    try {
      const path = modulePath();
      if (typeof path !== "string") throw new Error(home + "/bin/installation.json does not name it");
      load = createRequire(path + "/index.ts")("../load.ts");
    } catch (error) {
      const why = whyMissing(error);
      const last = { priority: -1_000_000 };
      const warn = () => {
        const warning = warnOnce(why);
        if (warning !== undefined) console.warn(warning);
      };
      api.on(
        "before_agent_run",
        async () => {
          if (isWatched()) return void warn();
          const message = blockedText(why);
          return { outcome: "block", reason: message, message };
        },
        last,
      );
      api.on("before_tool_call", async () => (isWatched() ? undefined : { block: true, blockReason: blockedText(why) }), last);
      return;
    }
    load.registerConduct(api, ${JSON.stringify(manifest.contracts.tools)}, abort, home);
  },
};
`;
