import { randomUUID } from "node:crypto";
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { callback, checkOptions, number, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import { wellFormed } from "../../../base/kernel/text.ts";
import type { KeptResults } from "../../../base/ports/stores/results.ts";
import { areSealed, type Seal } from "../seal/seal.ts";
import type { StoreKeys } from "../seal/store-keys.ts";

/** A store of results that is bounded in age and size. */
export type FolderResults = KeptResults & {
  /** Removes expired results, then the oldest until the rest fits. Also runs on its own from `keep`. */
  sweep(): Promise<void>;
};

export type FolderResultsOptions = {
  /** Milliseconds until a result expires; a week by default. */
  readonly maxAge?: number;
  /** Bytes of all results together; 1 GB by default. */
  readonly maxBytes?: number;
  readonly now?: () => number;
};

const WEEK = 7 * 24 * 3_600_000;
const GIGABYTE = 1024 ** 3;

/**
 * Stores each result in a sealed file, in a folder per session for this account only (0700, files 0600). Names are
 * hashes, so no session or handle can point elsewhere.
 */
export function folderResults(
  folder: string,
  keys: Pick<StoreKeys, "seal">,
  options: FolderResultsOptions = {},
): FolderResults {
  checkOptions("folderResults", options, KEYS);
  const { maxAge = WEEK, maxBytes = GIGABYTE, now = Date.now } = options;
  let unswept = Number.POSITIVE_INFINITY;
  let oldAreSealed = false;

  async function sweep(): Promise<void> {
    unswept = 0;
    const files = await listFiles(folder);
    let total = files.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of files.sort((a, b) => a.at - b.at)) {
      if (now() - file.at <= maxAge && total <= maxBytes) break;
      await rm(file.path, { force: true });
      total -= file.bytes;
    }
    // Fails for folders that are not empty, as intended.
    for (const name of await names(folder)) await rmdir(join(folder, name)).catch(() => undefined);
    if (oldAreSealed) return;
    oldAreSealed = true;
    const seal = await keys.seal();
    for (const { path } of files) await ignoreMissing(sealOld(path, seal));
  }

  return {
    sweep,
    async keep(session, handle, text) {
      const bytes = Buffer.byteLength(text);
      if (bytes > maxBytes) throw new Error(`a result of ${bytes} bytes exceeds the store's ${maxBytes}`);
      await ownFolder(folder);
      // A concurrent sweep may remove the session's empty folder: retry once.
      const path = pathOf(folder, session, handle);
      const sealed = sealedFile(await keys.seal(), path, Buffer.from(wellFormed(text), "utf8"));
      const write = () => writeInto(join(folder, sessionName(session)), path, sealed);
      if (!(await ignoreMissing(write()))) await write();
      unswept += bytes;
      if (unswept > maxBytes / 10) await sweep();
    },
    async read(session, handle) {
      const path = pathOf(folder, session, handle);
      const found = await ignoreMissing(stat(path));
      if (found === undefined || now() - found.mtimeMs > maxAge) return undefined;
      const stored = await ignoreMissing(readFile(path));
      if (stored === undefined) return undefined;
      const text = (await keys.seal()).openBytes("results.file", rowOf(path), stored);
      return Buffer.from(text).toString("utf8");
    },
    async forget(session) {
      await rm(join(folder, sessionName(session)), { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function sessionName(session: string): string {
  return sha256(session).slice(0, 40);
}

function pathOf(folder: string, session: string, handle: string): string {
  return join(folder, sessionName(session), `${sha256(handle).slice(0, 40)}.txt`);
}

/** A file opens only under its own name, in its own session's folder. */
function rowOf(path: string): readonly string[] {
  return [basename(dirname(path)), basename(path)];
}

function sealedFile(seal: Seal, path: string, text: Uint8Array): Uint8Array {
  return seal.closeBytes("results.file", rowOf(path), text);
}

/** Seals a result that an older Conduct left in clear, and keeps its age. */
async function sealOld(path: string, seal: Seal): Promise<void> {
  if (!path.endsWith(".txt") || areSealed(await firstBytes(path))) return;
  const { atime, mtime } = await stat(path);
  await writeInto(dirname(path), path, sealedFile(seal, path, await readFile(path)));
  await utimes(path, atime, mtime);
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(64) });
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Writes atomically: the file gets its name when it is complete. */
async function writeInto(folder: string, path: string, sealed: Uint8Array): Promise<true> {
  await ownFolder(folder);
  const draft = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(draft, sealed, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return true;
}

/** Creates the folder for this account only, and rejects a link in its place. */
async function ownFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await lstat(path);
  if (!found.isDirectory()) throw new Error(`${path} is not a folder`);
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
}

type StoredFile = { readonly path: string; readonly at: number; readonly bytes: number };

async function listFiles(folder: string): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for (const session of await names(folder)) {
    for (const name of await names(join(folder, session))) {
      const path = join(folder, session, name);
      const found = await ignoreMissing(lstat(path));
      if (found?.isFile()) files.push({ path, at: found.mtimeMs, bytes: found.size });
    }
  }
  return files;
}

async function names(folder: string): Promise<readonly string[]> {
  return (await ignoreMissing(readdir(folder))) ?? [];
}

/** Other processes add and remove files: a missing file is `undefined`, any other error is thrown. */
async function ignoreMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw error;
  }
}

const KEYS: ShapesOf<FolderResultsOptions> = {
  maxAge: optional(number),
  maxBytes: optional(number),
  now: optional(callback),
};

/** The results store of a home, shared by daemon and gateway and sealed with the key of its store. */
export function keptResults(home: string, keys: Pick<StoreKeys, "seal">): FolderResults {
  return folderResults(join(home, "results"), keys);
}
