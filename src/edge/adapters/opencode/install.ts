import { homedir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { checkOptions, number, optional, type ShapesOf, text } from "../../../base/kernel/check-options.ts";
import { programFile } from "../../host/node/package-files.ts";
import {
  type PluginChange,
  type PluginFileSettings,
  pluginChange,
  pluginFileText,
  readPluginSettings,
} from "../shared/plugin-file.ts";

export const OPENCODE_PLUGIN = programFile("edge/adapters/opencode/plugin.ts", "opencode-plugin.mjs");

const FIRST_LINE =
  "// Conduct for OpenCode. Written by `conduct init opencode`, taken away by `conduct init opencode --undo`.";

/** The file that OpenCode loads by itself as a plugin of this account. */
export function opencodePluginFile(env: NodeJS.ProcessEnv = process.env): string {
  const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config");
  return join(config, "opencode", "plugin", "conduct.js");
}

/** `waitMs` is how long a call waits for a person. */
export type OpencodePluginSettings = PluginFileSettings & { readonly waitMs?: number };

/**
 * The whole file. OpenCode ignores a plugin that cannot be loaded, so this file always can be. When Conduct is
 * missing, OpenCode in shadow mode continues with one warning, and an enforced one blocks every message and call.
 */
export function opencodePluginText({ plugin, home, ...options }: OpencodePluginSettings = {}): string {
  return pluginFileText(FIRST_LINE, { runtime: "opencode", home, plugin, options }, BODY);
}

const BODY = `export const Conduct = async (input) => {
  try {
    const { conductPlugin } = await loadConduct();
    return await conductPlugin({ ...settings.options, home })(input);
  } catch (error) {
    const why = whyMissing(error);
    const show = (message) => {
      if (process.argv[2] === "run") process.stderr.write(message + "\\n");
      const body = { title: "Conduct", message, variant: "warning", duration: 10_000 };
      void Promise.resolve(input?.client?.tui?.showToast?.({ body })).catch(() => undefined);
    };
    const guard = async () => {
      if (isWatched()) {
        const warning = warnOnce(why);
        if (warning !== undefined) show(warning);
        return;
      }
      const text = blockedText(why);
      throw Object.assign(new Error(text), { stack: text });
    };
    return { "chat.message": guard, "tool.execute.before": guard };
  }
};
`;

/** `text` is the current file; `undefined` if there is none. */
export function addOpencodePlugin(text: string | undefined, settings: OpencodePluginSettings = {}): PluginChange {
  checkOptions("addOpencodePlugin", settings, SETTINGS);
  return pluginChange(text, opencodePluginText(settings), isOurs);
}

export function removeOpencodePlugin(text: string | undefined): PluginChange {
  return pluginChange(text, undefined, isOurs);
}

/** Hash of the file from before the launcher, without its line of settings. */
const BEFORE_LAUNCHER = "163bb2248146186f7ef9b08964bdbb4b905a2b8e0abeb70474b14e38fa4b2509";

/** Ours to the last byte, for any installation folder of Conduct. */
function isOurs(text: string): boolean {
  if (sha256(text.replace(/^const settings = .*\n/m, "")) === BEFORE_LAUNCHER) return true;
  const written = readPluginSettings(text);
  if (written === undefined) return false;
  const { options, home, plugin } = written;
  return text === opencodePluginText({ ...options, home, plugin });
}

const SETTINGS: ShapesOf<OpencodePluginSettings> = {
  plugin: optional(text),
  home: optional(text),
  waitMs: optional(number),
};
