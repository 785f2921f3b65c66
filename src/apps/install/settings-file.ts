import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, readFile, realpath, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isMissing } from "../../edge/host/resolve-path.ts";

/** What the file has; `undefined` when there is none. Rejects for what is no file. */
export async function readSettings(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Whole or not at all. A link stays one: what it leads to is replaced. New files are for this account alone, others keep their
 * mode. Gives the first folder that had to be made, if any.
 */
export async function writeSettings(path: string, text: string): Promise<string | undefined> {
  const made = await mkdir(dirname(path), { recursive: true });
  const target = await realpath(path).catch((error: unknown) => {
    if (isMissing(error)) return path;
    throw error;
  });
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`);
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(draft, mode);
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
  return made;
}

/** Takes a file away, and the folders that were made for it, from `made` on, as far as nothing else is in them. */
export async function removeSettings(path: string, made?: string): Promise<void> {
  await rm(path, { force: true });
  if (made === undefined) return;
  for (let folder = dirname(path); folder.startsWith(made); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}
