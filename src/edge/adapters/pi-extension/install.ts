import { homedir } from "node:os";
import { join } from "node:path";
import { programFile } from "../../host/node/package-files.ts";
import {
  type PluginChange,
  type PluginFileSettings,
  pluginChange,
  pluginFileText,
  readPluginSettings,
} from "../shared/plugin-file.ts";

export const PI_EXTENSION = programFile("edge/adapters/pi-extension/extension.ts", "pi-plugin.mjs");

const FIRST_LINE = "// Conduct for Pi. Written by `conduct init pi`, taken away by `conduct init pi --undo`.";

export function piExtensionFile(env: NodeJS.ProcessEnv = process.env): string {
  const folder = env.PI_CODING_AGENT_DIR || join(env.HOME || homedir(), ".pi", "agent");
  return join(folder, "extensions", "conduct.ts");
}

/**
 * The whole file. Pi refuses to start with an extension that cannot be loaded, so this file always can be. When
 * Conduct is missing, Pi in shadow mode continues with one warning, and an enforced one accepts no message and runs no
 * tool.
 */
export function piExtensionText({ home, plugin }: PluginFileSettings = {}): string {
  return pluginFileText(FIRST_LINE, { runtime: "pi", home, plugin, options: {} }, BODY);
}

const BODY = `export default async function conduct(pi) {
  let start;
  try {
    const conduct = await loadConduct();
    start = conduct.extensionAt(home);
  } catch (error) {
    const why = whyMissing(error);
    const tell = (context, text, type) => {
      if (context.hasUI) context.ui.notify(text, type);
      else process.stderr.write(text + "\\n");
    };
    pi.on("input", async (event, context) => {
      if (isWatched()) {
        const warning = warnOnce(why);
        if (warning !== undefined) tell(context, warning, "warning");
        return { action: "continue" };
      }
      tell(context, blockedText(why), "error");
      if (context.hasUI) context.ui.setEditorText(event.text);
      else process.exitCode = 1;
      return { action: "handled" };
    });
    pi.on("tool_call", async () => (isWatched() ? undefined : { block: true, reason: blockedText(why) }));
    return;
  }
  start(pi);
}
`;

/** `text` is the current file; `undefined` if there is none. */
export function addPiExtension(text: string | undefined, settings: PluginFileSettings = {}): PluginChange {
  return pluginChange(text, piExtensionText(settings), isOurs);
}

export function removePiExtension(text: string | undefined): PluginChange {
  return pluginChange(text, undefined, isOurs);
}

/** The file from before the launcher, which named the module itself. */
const BEFORE_LAUNCHER = /^export \{ default \} from "[^\n"]+";\n$/;

/** Ours to the last byte, for any installation folder of Conduct. */
function isOurs(text: string): boolean {
  if (!text.startsWith(`${FIRST_LINE}\n`)) return false;
  if (BEFORE_LAUNCHER.test(text.slice(FIRST_LINE.length + 1))) return true;
  const written = readPluginSettings(text);
  return written !== undefined && text === piExtensionText(written);
}
