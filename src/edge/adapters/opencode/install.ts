import { homedir } from "node:os";
import { join } from "node:path";
import { checkOptions, number, optional, type ShapesOf, text } from "../../../base/kernel/check-options.ts";
import { asString, isObject } from "../../../base/kernel/json.ts";

/** The module that OpenCode is made to load. */
export const OPENCODE_PLUGIN = join(import.meta.dirname, "plugin.ts");

const FIRST_LINE =
  "// Conduct for OpenCode. Written by `conduct init opencode`, taken away by `conduct init opencode --undo`.";

/** Where OpenCode looks for the plugins of this account. It finds the file by itself: no setting has to be changed. */
export function opencodePluginFile(env: NodeJS.ProcessEnv = process.env): string {
  const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config");
  return join(config, "opencode", "plugin", "conduct.js");
}

/** What the file says. `home` is Conduct's folder, where it is not the usual one; `waitMs` how long a call waits for a person. */
export type OpencodePluginSettings = { readonly plugin?: string; readonly home?: string; readonly waitMs?: number };

/**
 * The whole file. OpenCode goes on without a plugin that cannot be loaded; this file always can, and blocks every message and
 * call when Conduct is not where it was.
 */
export function opencodePluginText({ plugin = OPENCODE_PLUGIN, ...options }: OpencodePluginSettings = {}): string {
  return `${FIRST_LINE}
const settings = ${JSON.stringify({ plugin, options })};
export const Conduct = async (input) => {
  try {
    const { conductPlugin } = await import(settings.plugin);
    return await conductPlugin(settings.options)(input);
  } catch (error) {
    const why = \`Conduct cannot be loaded, so nothing runs: \${error?.message ?? error}. A person can install it again, or take it out with 'conduct init opencode --undo'.\`;
    const block = async () => {
      throw Object.assign(new Error(why), { stack: why });
    };
    return { "chat.message": block, "tool.execute.before": block };
  }
};
`;
}

/** What is to be done to the file for Conduct to be there, or to be gone again. */
export type OpencodePluginChange =
  | { readonly kind: "write"; readonly text: string }
  | { readonly kind: "delete" }
  | { readonly kind: "none" }
  /** The file is somebody else's; nothing is done to it. */
  | { readonly kind: "refuse"; readonly why: string };

/** `text` is what the file has now; `undefined` when there is none. */
export function addOpencodePlugin(
  text: string | undefined,
  settings: OpencodePluginSettings = {},
): OpencodePluginChange {
  checkOptions("addOpencodePlugin", settings, SETTINGS);
  const wanted = opencodePluginText(settings);
  if (text === wanted) return { kind: "none" };
  return text === undefined || isOurs(text) ? { kind: "write", text: wanted } : { kind: "refuse", why: FOREIGN };
}

export function removeOpencodePlugin(text: string | undefined): OpencodePluginChange {
  if (text === undefined) return { kind: "none" };
  return isOurs(text) ? { kind: "delete" } : { kind: "refuse", why: FOREIGN };
}

const FOREIGN =
  "it is there and was not written by Conduct, or was changed since: move it away, or take it out by hand";

/** Ours to the last byte, whatever folder Conduct was in when it was written. */
function isOurs(text: string): boolean {
  const written = /^const settings = (\{[^\n]*\});$/m.exec(text)?.[1];
  if (written === undefined) return false;
  try {
    const { plugin, options } = JSON.parse(written);
    return text === opencodePluginText({ plugin: asString(plugin), ...(isObject(options) ? options : {}) });
  } catch {
    return false;
  }
}

const SETTINGS: ShapesOf<OpencodePluginSettings> = {
  plugin: optional(text),
  home: optional(text),
  waitMs: optional(number),
};
