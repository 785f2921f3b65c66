import { homedir } from "node:os";
import { join } from "node:path";

/** The module that Pi is made to load. */
export const PI_EXTENSION = join(import.meta.dirname, "extension.ts");

const FIRST_LINE = "// Conduct for Pi. Written by `conduct init pi`, taken away by `conduct init pi --undo`.";

/** Where Pi looks for the extensions of this account. */
export function piExtensionFile(env: NodeJS.ProcessEnv = process.env): string {
  const folder = env.PI_CODING_AGENT_DIR || join(env.HOME || homedir(), ".pi", "agent");
  return join(folder, "extensions", "conduct.ts");
}

/** The whole file: Pi brings its own TypeScript, and refuses to start when the module is not there. */
export function piExtensionText(extension: string = PI_EXTENSION): string {
  return `${FIRST_LINE}\nexport { default } from ${JSON.stringify(extension)};\n`;
}

/** What is to be done to the file for Conduct to be there, or to be gone again. */
export type PiExtensionChange =
  | { readonly kind: "write"; readonly text: string }
  | { readonly kind: "delete" }
  | { readonly kind: "none" }
  /** The file is somebody else's; nothing is done to it. */
  | { readonly kind: "refuse"; readonly why: string };

/** `text` is what the file has now; `undefined` when there is none. */
export function addPiExtension(text: string | undefined, extension: string = PI_EXTENSION): PiExtensionChange {
  const wanted = piExtensionText(extension);
  if (text === wanted) return { kind: "none" };
  return text === undefined || isOurs(text) ? { kind: "write", text: wanted } : { kind: "refuse", why: FOREIGN };
}

export function removePiExtension(text: string | undefined): PiExtensionChange {
  if (text === undefined) return { kind: "none" };
  return isOurs(text) ? { kind: "delete" } : { kind: "refuse", why: FOREIGN };
}

const FOREIGN =
  "it is there and was not written by Conduct, or was changed since: move it away, or take it out by hand";

/** Ours to the last byte, whatever folder Conduct was in when it was written. */
function isOurs(text: string): boolean {
  const named = /^export \{ default \} from ("[^\n]+");\n$/.exec(text.slice(FIRST_LINE.length + 1))?.[1];
  return text.startsWith(`${FIRST_LINE}\n`) && named !== undefined && text === piExtensionText(readName(named));
}

function readName(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return "";
  }
}
