import { readFile, stat } from "node:fs/promises";

const MAX_BYTES = 1_000_000;

/** Kind of file, used in error codes. */
export type TextFileKind = "CONFIG" | "RULES" | "CASES" | "TEXT";

/** Why the file cannot be read; `fix` is the one action that helps. */
export type TextFileError = {
  readonly code: `${TextFileKind}_${"NOT_FOUND" | "UNREADABLE" | "NOT_A_FILE" | "TOO_LARGE" | "NOT_UTF8"}`;
  readonly message: string;
  readonly fix: string;
};

/** Reads a small text file; `shown` is its name in messages. */
export async function readTextFile(
  path: string,
  shown: string,
  kind: TextFileKind,
): Promise<{ readonly text: string } | { readonly error: TextFileError }> {
  const failure = (code: string, message: string, fix: string) => ({
    error: { code: `${kind}_${code}` as TextFileError["code"], message, fix },
  });
  const tooLarge = () => failure("TOO_LARGE", `${shown} is larger than 1 MB`, "name another file");
  try {
    // Checked before opening, because opening a pipe would block for ever.
    const found = await stat(path);
    if (found.isDirectory()) {
      const inside = { CONFIG: "conduct.yaml", RULES: "rules.yaml", CASES: "cases.yaml", TEXT: "soul.md" }[kind];
      return failure("NOT_A_FILE", `${shown} is a folder`, `name the file in it, such as ${shown}/${inside}`);
    }
    if (!found.isFile()) return failure("NOT_A_FILE", `${shown} is not a regular file`, "name a regular file");
    if (found.size > MAX_BYTES) return tooLarge();
    const bytes = await readFile(path);
    if (bytes.length > MAX_BYTES) return tooLarge();
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      return failure("NOT_UTF8", `${shown} is not UTF-8 text`, "save it as UTF-8");
    }
    if (code === "ENOENT" || code === "ENOTDIR") {
      return failure("NOT_FOUND", `there is no ${shown}`, "name an existing file, or create it");
    }
    const reason = code === "EACCES" ? "permission denied" : code || String(error);
    return failure("UNREADABLE", `${shown} cannot be read: ${reason}`, "make it readable for this account");
  }
}
