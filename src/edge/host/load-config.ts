import { readFile, stat } from "node:fs/promises";
import { type ParsedConfig, parseConfig } from "../../engine/agent/parse-config.ts";

const MAX_BYTES = 1_000_000;

/** Why there is no text to look at; `fix` is the one thing to do about it. */
export type ConfigFileError = {
  readonly code:
    | "CONFIG_NOT_FOUND"
    | "CONFIG_UNREADABLE"
    | "CONFIG_NOT_A_FILE"
    | "CONFIG_TOO_LARGE"
    | "CONFIG_NOT_UTF8";
  readonly message: string;
  readonly fix: string;
};

/** `text` is there to show the lines that faults are in. */
export type LoadedConfig =
  | { readonly error: ConfigFileError }
  | { readonly text: string; readonly parsed: ParsedConfig };

/** Reads a conduct.yaml; `shown` is what messages call it, the path itself unless told. */
export async function loadConfigFile(path: string, shown: string = path): Promise<LoadedConfig> {
  const read = await readBytes(path, shown);
  if ("error" in read) return read;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(read.bytes);
    return { text, parsed: parseConfig(text, shown) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return failure("CONFIG_NOT_UTF8", `${shown} is not UTF-8 text`, "save it as UTF-8");
  }
}

async function readBytes(path: string, shown: string): Promise<{ readonly bytes: Uint8Array } | Failure> {
  try {
    // Looked at before it is opened: opening a pipe would wait for ever.
    const found = await stat(path);
    if (found.isDirectory()) {
      return failure("CONFIG_NOT_A_FILE", `${shown} is a folder`, `name the file in it, such as ${shown}/conduct.yaml`);
    }
    if (!found.isFile()) return failure("CONFIG_NOT_A_FILE", `${shown} is not a regular file`, "name a regular file");
    if (found.size > MAX_BYTES) return tooLarge(shown);
    const bytes = await readFile(path);
    return bytes.length > MAX_BYTES ? tooLarge(shown) : { bytes };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ENOENT" || code === "ENOTDIR") {
      return failure("CONFIG_NOT_FOUND", `there is no ${shown}`, "name an existing file, or create it");
    }
    const reason = code === "EACCES" ? "permission denied" : code || String(error);
    return failure("CONFIG_UNREADABLE", `${shown} cannot be read: ${reason}`, "make it readable for this account");
  }
}

type Failure = { readonly error: ConfigFileError };

function tooLarge(shown: string): Failure {
  return failure(
    "CONFIG_TOO_LARGE",
    `${shown} is larger than 1 MB`,
    "a configuration this large is a mistake: name another file",
  );
}

function failure(code: ConfigFileError["code"], message: string, fix: string): Failure {
  return { error: { code, message, fix } };
}
