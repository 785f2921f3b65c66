import { join } from "node:path";
import { opencodeCapabilities } from "../../edge/adapters/opencode/capabilities.ts";
import { addOpencodePlugin, opencodePluginFile, removeOpencodePlugin } from "../../edge/adapters/opencode/install.ts";
import { pluginFile } from "./plugin-file.ts";
import type { InstallableRuntime } from "./runtime.ts";

export const opencode: InstallableRuntime = {
  name: "opencode",
  title: "OpenCode",
  program: "opencode",
  coverage: "opencode",
  capabilities: opencodeCapabilities,
  loose: "`opencode run` exits before a stop can be refused; `opencode --pure` loads no plugin at all",
  start: "start opencode anew",
  files({ env, home, project }) {
    const path = project === undefined ? opencodePluginFile(env) : join(project, ".opencode", "plugin", "conduct.js");
    return [pluginFile(path, (text) => addOpencodePlugin(text, { home }), removeOpencodePlugin)];
  },
};
