import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, chmod, mkdir, open, readFile, readlink, realpath, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isMissing } from "../../edge/host/workspace/resolve-path.ts";

/** What the file has; `undefined` when there is none. Rejects for what is no file. */
export async function readSettings(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isCode(error, "EISDIR")) throw new Error(`${path} is a folder, and should be a file: move it away`);
    throw error;
  }
}

/** Why a file is not to be changed, or cannot be; `undefined` when it can. */
export async function whyReadOnly(
  path: string,
): Promise<{ readonly refused: string; readonly fix: string } | undefined> {
  const target = await targetOf(path);
  const found = await stat(target).catch(() => undefined);
  const led = target === path ? "" : ` (it leads to ${target})`;
  if (found !== undefined && (found.mode & 0o200) === 0) {
    return { refused: `it is read-only${led}`, fix: `chmod u+w ${target}` };
  }
  const folder = await firstThere(dirname(target));
  try {
    await access(folder, constants.W_OK);
    return undefined;
  } catch {
    const fix = `make ${folder} writable, or put what is shown into what makes that file`;
    return { refused: `nothing can be written to ${folder}${led}`, fix };
  }
}

async function firstThere(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : firstThere(dirname(folder));
}

/** So many links may lead from one to the next. */
const LINKS = 40;

/** Where a file really is, or would be: a link may lead to one that is not there yet. */
async function targetOf(path: string, left = LINKS): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const link = await readlink(path).catch(() => undefined);
  if (link === undefined) return path;
  if (left === 0) throw new Error(`${path} is a link that leads nowhere`);
  return targetOf(resolve(dirname(path), link), left - 1);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/**
 * Whole or not at all. A link stays one: what it leads to is replaced. New files are for this account alone, others keep their
 * mode. Gives the first folder that had to be made, if any.
 */
export async function writeSettings(path: string, text: string): Promise<string | undefined> {
  const target = await targetOf(path);
  const made = await mkdir(dirname(target), { recursive: true });
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

/** Takes a file away, a link to it left as it is, and the folders that were made for it, from `made` on, as far as nothing else is in them. */
export async function removeSettings(path: string, made?: string): Promise<void> {
  const target = await targetOf(path);
  await rm(target, { force: true });
  if (made === undefined) return;
  for (let folder = dirname(target); folder.startsWith(made); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}
