/** Not imported, because loading all of `node:fs` takes as long as reading a file. Every hook loads this module. */
const { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } =
  process.getBuiltinModule("node:fs");
const { dirname } = process.getBuiltinModule("node:path");

/**
 * Replaces a file as a whole: readers see the old content or the new one. Only this account can read it. `durable`:
 * the content survives a power cut.
 */
export function replaceFile(file: string, content: string | Uint8Array, durable?: "durable"): void {
  withDraft(file, content, durable !== undefined, (draft) => renameSync(draft, file));
}

/** Creates a file for this account only, durably. Returns false if it exists. Nobody ever reads a part of it. */
export function createFile(file: string, content: string): boolean {
  try {
    withDraft(file, content, true, (draft) => linkSync(draft, file));
    syncFolder(dirname(file));
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** A new name is durable once its folder is synced. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function withDraft(file: string, content: string | Uint8Array, flush: boolean, publish: (draft: string) => void): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${crypto.randomUUID()}.part`;
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: "wx", flush });
    publish(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}
