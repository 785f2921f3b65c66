import { homedir } from "node:os";
import { join } from "node:path";
import { type PluginFileSettings, pluginFileText, readPluginSettings } from "../plugin-file-text.ts";

/** The module that Pi is made to load. */
export const PI_EXTENSION = join(import.meta.dirname, "extension.ts");

const FIRST_LINE = "// Conduct for Pi. Written by `conduct init pi`, taken away by `conduct init pi --undo`.";

/** Where Pi looks for the extensions of this account. */
export function piExtensionFile(env: NodeJS.ProcessEnv = process.env): string {
  const folder = env.PI_CODING_AGENT_DIR || join(env.HOME || homedir(), ".pi", "agent");
  return join(folder, "extensions", "conduct.ts");
}

/**
 * The whole file. Pi refuses to start with an extension that cannot be loaded; this file always can. When Conduct is not where it was,
 * a watched Pi works on with one warning, and an enforced one takes no message and runs no tool.
 */
export function piExtensionText({ home, plugin }: PluginFileSettings = {}): string {
  return pluginFileText(
    FIRST_LINE,
    {
      runtime: "pi",
      ...(home === undefined ? {} : { home }),
      ...(plugin === undefined ? {} : { plugin }),
      options: {},
    },
    BODY,
  );
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

/** What is to be done to the file for Conduct to be there, or to be gone again. */
export type PiExtensionChange =
  | { readonly kind: "write"; readonly text: string }
  | { readonly kind: "delete" }
  | { readonly kind: "none" }
  /** The file is somebody else's; nothing is done to it. */
  | { readonly kind: "refuse"; readonly why: string };

/** `text` is what the file has now; `undefined` when there is none. */
export function addPiExtension(text: string | undefined, settings: PluginFileSettings = {}): PiExtensionChange {
  const wanted = piExtensionText(settings);
  if (text === wanted) return { kind: "none" };
  return text === undefined || isOurs(text) ? { kind: "write", text: wanted } : { kind: "refuse", why: FOREIGN };
}

export function removePiExtension(text: string | undefined): PiExtensionChange {
  if (text === undefined) return { kind: "none" };
  return isOurs(text) ? { kind: "delete" } : { kind: "refuse", why: FOREIGN };
}

const FOREIGN =
  "it is there and was not written by Conduct, or was changed since: move it away, or take it out by hand";

/** The file as it was before there was a launcher: it named the module itself. */
const BEFORE_LAUNCHER = /^export \{ default \} from "[^\n"]+";\n$/;

/** Ours to the last byte, whatever folder Conduct was in when it was written. */
function isOurs(text: string): boolean {
  if (!text.startsWith(`${FIRST_LINE}\n`)) return false;
  if (BEFORE_LAUNCHER.test(text.slice(FIRST_LINE.length + 1))) return true;
  const written = readPluginSettings(text);
  return written !== undefined && text === piExtensionText(written);
}
