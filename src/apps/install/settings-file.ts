import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, chmod, mkdir, open, readFile, readlink, realpath, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorText } from "../../base/kernel/error-text.ts";
import { isObject } from "../../base/kernel/json.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { isMissing } from "../../edge/host/workspace/resolve-path.ts";
import type { Edited } from "./runtime.ts";

/** The file's content; `undefined` if there is none. Rejects if it is not a regular file. */
export async function readSettings(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isCode(error, "EISDIR")) throw new Error(`${path} is a folder, but should be a file: move it away`);
    throw error;
  }
}

/** Why a file must not or cannot be changed; `undefined` if it can. */
export async function whyReadOnly(
  path: string,
): Promise<{ readonly refused: string; readonly fix: string } | undefined> {
  const target = await targetOf(path);
  const found = await stat(target).catch(() => undefined);
  const led = target === path ? "" : ` (it links to ${target})`;
  if (found !== undefined && (found.mode & 0o200) === 0) {
    return { refused: `it is read-only${led}`, fix: `chmod u+w ${target}` };
  }
  const folder = await firstThere(dirname(target));
  try {
    await access(folder, constants.W_OK);
    return undefined;
  } catch {
    const fix = `make ${folder} writable, or add the change to the source of that file`;
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

/** The maximum length of a chain of links. */
const LINKS = 40;

/** Where a file really is, or would be: a link may lead to a missing file. */
async function targetOf(path: string, left = LINKS): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const link = await readlink(path).catch(() => undefined);
  if (link === undefined) return path;
  if (left === 0) throw new Error(`${path} is a broken link`);
  return targetOf(resolve(dirname(path), link), left - 1);
}

/** Returns whether links lead the file out of the folder: a cloned repository chooses its own links. */
export async function leavesFolder(path: string, folder: string): Promise<boolean> {
  const target = await targetOf(path);
  const place = await realpath(await firstThere(target));
  const inside = await realpath(folder);
  return place !== inside && !place.startsWith(`${inside}/`);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/**
 * Writes atomically. A link stays a link: its target is replaced. New files are readable by this account only, others
 * keep their mode, except that nobody else can read a `secret` one. Returns the topmost folder that was created, if any.
 */
export async function writeSettings(path: string, text: string, secret = false): Promise<string | undefined> {
  const target = await targetOf(path);
  const made = await mkdir(dirname(target), { recursive: true });
  const mode = await stat(target).then(
    (found) => found.mode & (secret ? 0o700 : 0o777),
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

/** The permissions of a file; `undefined` if there is none. */
export async function settingsMode(path: string): Promise<number | undefined> {
  const found = await stat(await targetOf(path)).catch(() => undefined);
  return found === undefined ? undefined : found.mode & 0o777;
}

export async function restoreMode(path: string, mode: number): Promise<void> {
  const now = await settingsMode(path);
  if (now !== undefined && now !== mode) await chmod(await targetOf(path), mode);
}

/** Removes a file (a link to it stays) and, from `made` down, the empty folders that were created for it. */
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

/** The object in a settings file; an empty one for an empty file. */
export function readSettingsObject(text: string | undefined): { readonly value: JsonObject } | Refused {
  const plain = (text ?? "").replace(/^\uFEFF/, "");
  if (plain.trim() === "") return { value: {} };
  try {
    const value: unknown = JSON.parse(plain);
    if (isObject(value)) return { value };
    return { refused: "it is not a JSON object", line: 1, fix: "make it an object, or move it away" };
  } catch (error) {
    return {
      refused: `it is not valid JSON: ${sentence(error)}`,
      line: faultLine(plain),
      fix: "correct that line; nothing was changed",
    };
  }
}

type Refused = Extract<Edited, { readonly refused: string }>;

/** The error without the excerpt of the text that the engine adds. */
function sentence(error: unknown): string {
  return errorText(error)
    .replace(/, .* is not valid JSON$/s, "")
    .replace(/ (in JSON )?at position \d+.*$/s, "");
}

/** The line of the first character that makes the text invalid JSON. */
function faultLine(text: string): number {
  let [good, bad] = [0, text.length];
  while (good < bad) {
    const middle = Math.ceil((good + bad) / 2);
    if (mayGoOn(text.slice(0, middle))) good = middle;
    else bad = middle - 1;
  }
  return text.slice(0, good).split("\n").length;
}

/** Could a suffix make it valid JSON? For such a text the engine only complains about its end. */
function mayGoOn(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (error) {
    const said = errorText(error);
    const place = /at position (\d+)/.exec(said)?.[1];
    return place === undefined
      ? /end of JSON input/.test(said)
      : Number(place) >= start.length || said.startsWith("Unterminated");
  }
}
