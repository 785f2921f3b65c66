import { join } from "node:path";

const MARK = "// Conduct in OpenCode. Written by `conduct init opencode`; `conduct init opencode --undo` removes it.";

/** Where OpenCode finds it by itself, under its configuration folder. Nothing else has to be changed. */
export const OPENCODE_PLUGIN_FILE = join("plugin", "conduct.js");

/** The folder of the person's own configuration, as OpenCode looks for it. */
export function opencodeConfigFolder(env: NodeJS.ProcessEnv, home: string): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
}

/** `module` is the absolute path of `plugin.ts`, `home` Conduct's folder, `waitMs` how long a call waits for a person. */
export type OpencodePluginFile = { readonly module: string; readonly home: string; readonly waitMs?: number };

/**
 * The plugin file. OpenCode goes on without a plugin that fails
 * to load; this file then still loads, and blocks every message and call.
 */
export function opencodePluginFile({ module, ...options }: OpencodePluginFile): string {
  return `${MARK}
export const Conduct = async (input) => {
  try {
    const { conductPlugin } = await import(${JSON.stringify(module)});
    return await conductPlugin(${JSON.stringify(options)})(input);
  } catch (error) {
    const why =
      "Conduct cannot be loaded, so nothing runs: " + (error instanceof Error ? error.message : String(error)) +
      ". A person can install it again, or remove this plugin with \`conduct init opencode --undo\`.";
    const block = async () => {
      const blocked = new Error(why);
      blocked.stack = why;
      throw blocked;
    };
    return { "chat.message": block, "tool.execute.before": block };
  }
};
`;
}

/** A file of ours, also one of another version or place; anything else is not ours to replace or remove. */
export function isOpencodePluginFile(text: string): boolean {
  return text.startsWith(`${MARK}\n`);
}
