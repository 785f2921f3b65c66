import { join } from "node:path";
import { piExtensionCapabilities } from "../../edge/adapters/pi-extension/capabilities.ts";
import { addPiExtension, piExtensionFile, removePiExtension } from "../../edge/adapters/pi-extension/install.ts";
import { pluginFile } from "./plugin-file.ts";
import type { InstallableRuntime } from "./runtime.ts";

export const pi: InstallableRuntime = {
  name: "pi",
  title: "Pi",
  program: "pi",
  coverage: "pi-extension",
  capabilities: piExtensionCapabilities,
  loose: "`pi --no-extensions` starts without Conduct, and another extension can take its handlers off",
  start: "start pi anew",
  files({ env, home, project }) {
    const path = project === undefined ? piExtensionFile(env) : join(project, ".pi", "extensions", "conduct.ts");
    return [pluginFile(path, (text) => addPiExtension(text, { home }), removePiExtension)];
  },
};
