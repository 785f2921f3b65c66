import { chmod, lstat, mkdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject, parseObject } from "../../../base/kernel/json.ts";
import { LockedError, withFileLock } from "../workspace/file-lock.ts";
import { isSettled, stampOf } from "../workspace/file-stamp.ts";
import { replaceFile } from "../workspace/own-files.ts";
import { isMissing, resolvePath } from "../workspace/resolve-path.ts";

/** A trusted file: its real path, the hash of its content, and when it was trusted. */
type TrustEntry = { readonly path: string; readonly sha256: string; readonly at: string };

/** By real path. */
type TrustEntries = ReadonlyMap<string, TrustEntry>;

const VERSION = 1;

/** Parses a trust file, or returns the fault. A file with a fault is rejected as a whole. */
function parseTrust(text: string): TrustEntries | string {
  const content = parseObject(text);
  if (content === undefined) return "it is not JSON";
  if (content.version !== VERSION) return `it has version ${JSON.stringify(content.version)}, not ${VERSION}`;
  if (!isObject(content.files)) return "it has no 'files'";
  const entries = new Map<string, TrustEntry>();
  for (const [path, entry] of Object.entries(content.files)) {
    if (!isObject(entry) || !path.startsWith("/")) return `the entry ${JSON.stringify(path)} is not valid`;
    const { sha256, at } = entry;
    if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256) || typeof at !== "string") {
      return `the entry ${JSON.stringify(path)} is not valid`;
    }
    entries.set(path, { path, sha256, at });
  }
  return entries;
}

/** Sorted, so that two versions can be compared. */
function renderTrust(entries: TrustEntries): string {
  const sorted = [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  const files = Object.fromEntries(sorted.map(({ path, sha256, at }) => [path, { sha256, at }]));
  return `${JSON.stringify({ version: VERSION, files }, null, 2)}\n`;
}

/** A file as the person reviewed it. */
type TrustedFile = { readonly path: string; readonly sha256: string };

/** The workspace files that a person has reviewed and trusts, by real path and content. Rejects with a `TrustError`. */
export type TrustStore = {
  readonly file: string;
  /** Returns whether a person trusted this file with this content. */
  trusted(path: string, sha256: string): Promise<boolean>;
  /** Stores the hash of the content that the person saw, not of the current content. */
  trust(files: readonly TrustedFile[]): Promise<void>;
  /** Revokes a file, or every file below a folder. Returns the paths that were trusted. */
  revoke(path: string): Promise<readonly string[]>;
  /** Lists every trusted file. */
  list(): Promise<readonly TrustEntry[]>;
};

/** The trust file is unsafe or cannot be written, so nothing is trusted. */
export class TrustError extends Error {
  readonly code: "TRUST_CORRUPT" | "TRUST_UNSAFE" | "TRUST_LOCKED" | "TRUST_UNAVAILABLE";
  /** The one action that fixes it. */
  readonly fix: string;
  constructor(code: TrustError["code"], message: string, fix: string) {
    super(message);
    this.name = "TrustError";
    this.code = code;
    this.fix = fix;
  }
}

/** Stored in `trust.json` in Conduct's folder, which only this account can enter. */
export function trustStore(home: string): TrustStore {
  const folder = resolve(home);
  const file = join(folder, "trust.json");
  let known: { readonly stamp: string; readonly entries: TrustEntries } | undefined;

  /** Cached until the file changes. */
  async function current(): Promise<TrustEntries> {
    const at = Date.now();
    const found = await safeStat(file);
    if (found === undefined) return new Map();
    const stamp = stampOf(found);
    if (known?.stamp === stamp) return known.entries;
    const entries = await read(file);
    known = isSettled(found, at) ? { stamp, entries } : undefined;
    return entries;
  }

  async function change(edit: (entries: Map<string, TrustEntry>) => void): Promise<void> {
    await ownFolder(folder);
    try {
      await withFileLock(`${file}.lock`, async () => {
        const entries = new Map((await safeStat(file)) === undefined ? [] : await read(file));
        edit(entries);
        replaceFile(file, renderTrust(entries), "durable");
        known = undefined;
      });
    } catch (error) {
      if (!(error instanceof LockedError)) throw asTrustError(error, file);
      const fix = `wait until the other command has finished; if there is none, remove ${error.lock}`;
      throw new TrustError("TRUST_LOCKED", error.message, fix);
    }
  }

  return {
    file,
    list: async () => [...(await current()).values()],
    trusted: async (path, sha256) => (await current()).get(await resolvePath(resolve(path)))?.sha256 === sha256,
    async trust(files) {
      const at = new Date().toISOString();
      const added = await Promise.all(
        files.map(async ({ path, sha256 }) => ({ path: await resolvePath(resolve(path)), sha256, at })),
      );
      await change((entries) => {
        for (const entry of added) entries.set(entry.path, entry);
      });
    },
    async revoke(path) {
      const real = await resolvePath(resolve(path));
      const below = real.endsWith("/") ? real : `${real}/`;
      const gone: string[] = [];
      await change((entries) => {
        for (const one of [...entries.keys()].filter((one) => one === real || one.startsWith(below))) {
          entries.delete(one);
          gone.push(one);
        }
      });
      return gone;
    },
  };
}

/** Rejects a trust file that others could write. */
async function safeStat(file: string) {
  const found = await lstat(file, { bigint: true }).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw asTrustError(error, file);
  });
  if (found === undefined) return undefined;
  const fix = `make it a plain file that only you can write: chmod 600 ${file}`;
  if (!found.isFile()) throw new TrustError("TRUST_UNSAFE", `${file} is not a regular file`, fix);
  const mine = process.getuid?.();
  if (mine !== undefined && found.uid !== BigInt(mine) && found.uid !== 0n) {
    throw new TrustError("TRUST_UNSAFE", `${file} belongs to another account`, fix);
  }
  if ((found.mode & 0o022n) !== 0n) throw new TrustError("TRUST_UNSAFE", `${file} can be written by others`, fix);
  return found;
}

async function read(file: string): Promise<TrustEntries> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw asTrustError(error, file);
  });
  const parsed = parseTrust(text);
  if (typeof parsed !== "string") return parsed;
  const fix = "repair it, or move it away and trust your workspaces again: conduct trust";
  throw new TrustError("TRUST_CORRUPT", `${file} is invalid: ${parsed}; until it is repaired, nothing is trusted`, fix);
}

async function ownFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
  } catch (error) {
    throw asTrustError(error, folder);
  }
}

function asTrustError(error: unknown, file: string): TrustError {
  if (error instanceof TrustError) return error;
  const fix = "make it readable and writable for this account";
  return new TrustError("TRUST_UNAVAILABLE", `${file} cannot be used: ${errorText(error)}`, fix);
}
