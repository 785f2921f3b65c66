import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { lstat, mkdir, open, opendir, readlink } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";

/** Linux: opens a name without opening its target, so a device or a pipe is only inspected. */
const O_PATH = 0o10000000;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
/** Linux can address an open folder by its file descriptor, even if its path was replaced since. */
const BY_NUMBER = process.platform === "linux";

const MOST_BYTES = 8 * 1024 * 1024;
const MOST_FILES = 10_000;
const MOST_DEPTH = 40;
const MOST_LINKS = 40;
const MOST_TRIES = 10;

export type WorkspaceFiles = {
  /** Text of a regular file; `isCut` if it is longer than 8 MiB. */
  read(path: string): Promise<{ readonly text: string; readonly isCut: boolean }>;
  /** Creates or replaces a file, and creates missing parent folders. */
  write(path: string, text: string): Promise<void>;
  /** Paths of the regular files, without node_modules; at most 10,000. */
  list(): Promise<{ readonly files: readonly string[]; readonly isCut: boolean }>;
};

/** An open file or folder. `at` is a valid path to it until `close`. */
type Held = { readonly at: string; readonly stats: Stats; close(): Promise<void> };
type Found =
  | { readonly kind: "there"; readonly held: Held }
  | { readonly kind: "missing"; readonly folder: Held; readonly name: string };

/**
 * Workspace files for the gateway's own process. A concurrent command may swap folders for symlinks at any moment, so
 * each step starts from an open folder, symlinks are followed manually and never leave the workspace, and only regular
 * files are opened. Outside Linux the steps are checked by name, which does not prevent races.
 */
export function workspaceFiles(root: string): WorkspaceFiles {
  return {
    read: (path) => within(root, path, false, readFound),
    async write(path, text) {
      for (let tries = 1; !(await within(root, path, true, (found) => writeFound(found, text))); tries++)
        if (tries === MOST_TRIES) throw new Error(`other processes keep changing ${path}; try again`);
    },
    async list() {
      const top = await hold(root);
      const files: string[] = [];
      try {
        await listInto(files, top, "", 0);
      } finally {
        await top.close();
      }
      return { files: files.slice(0, MOST_FILES).sort(), isCut: files.length > MOST_FILES };
    },
  };
}

/** Walks to `path` and calls `use` with the entry found there. */
async function within<T>(
  root: string,
  path: string,
  makeFolders: boolean,
  use: (found: Found, path: string) => Promise<T>,
): Promise<T> {
  const names = namesOf(root, path, path);
  const stack = [await hold(root)];
  let links = 0;
  let made = 0;
  try {
    for (;;) {
      const folder = stack.at(-1);
      const name = names.shift();
      if (folder === undefined) throw outside(path);
      if (name === undefined) return await use({ kind: "there", held: folder }, path);
      if (name === "" || name === ".") continue;
      if (name === "..") {
        await stack.pop()?.close();
        continue;
      }
      const at = `${folder.at}/${name}`;
      const held = await hold(at).catch(missingIsUndefined);
      if (held === undefined && names.length === 0) return await use({ kind: "missing", folder, name }, path);
      if (held === undefined) {
        if (!makeFolders || ++made > MOST_DEPTH) throw new Error(`there is no ${path}`);
        await mkdir(at, { mode: 0o777 }).catch(ignoreExisting);
        names.unshift(name);
      } else if (held.stats.isSymbolicLink()) {
        await held.close();
        if (++links > MOST_LINKS) throw new Error(`${path} is a symlink loop`);
        const target = await readlink(at);
        if (isAbsolute(target)) for (const above of stack.splice(1)) await above.close();
        names.unshift(...(isAbsolute(target) ? namesOf(root, target, path) : target.split("/")));
      } else {
        stack.push(held);
        if (!held.stats.isDirectory() && names.length > 0) throw new Error(`there is no ${path}`);
      }
    }
  } finally {
    for (const held of stack) await held.close();
  }
}

async function readFound(found: Found, path: string): Promise<{ readonly text: string; readonly isCut: boolean }> {
  if (found.kind === "missing") throw new Error(`there is no ${path}`);
  checkRegular(found.held, path);
  const file = await open(found.held.at, O_RDONLY | O_NONBLOCK | (BY_NUMBER ? 0 : O_NOFOLLOW));
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(64 * 1024));
      chunks.push(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
      if (bytesRead === 0 || bytes > MOST_BYTES) break;
    }
    return { text: Buffer.concat(chunks).subarray(0, MOST_BYTES).toString("utf8"), isCut: bytes > MOST_BYTES };
  } finally {
    await file.close();
  }
}

/** Returns false if another process created the file first. */
async function writeFound(found: Found, text: string): Promise<boolean> {
  if (found.kind === "there") checkRegular(found.held, "this");
  const file =
    found.kind === "there"
      ? await open(found.held.at, O_WRONLY | O_NONBLOCK | (BY_NUMBER ? 0 : O_NOFOLLOW))
      : await open(`${found.folder.at}/${found.name}`, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666).catch(
          ignoreExisting,
        );
  if (file === undefined) return false;
  try {
    await file.truncate(0);
    await file.writeFile(text);
    return true;
  } finally {
    await file.close();
  }
}

async function listInto(files: string[], folder: Held, prefix: string, depth: number): Promise<void> {
  for await (const entry of await opendir(folder.at)) {
    if (files.length > MOST_FILES) return;
    const path = join(prefix, entry.name);
    if (entry.isFile()) files.push(path);
    if (!entry.isDirectory() || entry.name === "node_modules" || depth >= MOST_DEPTH) continue;
    const below = await hold(`${folder.at}/${entry.name}`).catch(missingIsUndefined);
    try {
      if (below?.stats.isDirectory()) await listInto(files, below, path, depth + 1);
    } finally {
      await below?.close();
    }
  }
}

async function hold(at: string): Promise<Held> {
  if (!BY_NUMBER) return { at, stats: await lstat(at), close: async () => undefined };
  // Not in the thread pool: none of these reads or waits for content, and a round trip costs ten times as much.
  const folder = openSync(at, O_PATH | O_NOFOLLOW);
  try {
    return { at: `/proc/self/fd/${folder}`, stats: fstatSync(folder), close: async () => closeSync(folder) };
  } catch (error) {
    closeSync(folder);
    throw error;
  }
}

/** Path segments from the workspace on. Throws for a path that is outside by its name alone. */
function namesOf(root: string, path: string, shown: string): string[] {
  if (path.includes("\0")) throw new Error("a path cannot contain a NUL byte");
  if (!isAbsolute(path)) return path.split("/");
  const below = relative(root, resolve(path));
  if (below.startsWith("..") || isAbsolute(below)) throw outside(shown);
  return below.split("/");
}

function checkRegular({ stats }: Held, path: string): void {
  if (stats.isFile()) return;
  throw new Error(`${path} is ${stats.isDirectory() ? "a folder" : "not a regular file"}`);
}

function outside(path: string): Error {
  return new Error(`${path} is outside your folder`);
}

function missingIsUndefined(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

function ignoreExisting(error: NodeJS.ErrnoException): undefined {
  if (error.code === "EEXIST") return undefined;
  throw error;
}
