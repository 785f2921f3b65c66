import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { errorText } from "../../../base/kernel/error-text.ts";
import { realFolder } from "../../host/trust/real-folder.ts";
import { conductHome } from "../../host/workspace/conduct-home.ts";
import { createFile } from "../../host/workspace/own-files.ts";
import { fieldOf, StoreError } from "../sql/store-error.ts";

const HEX_KEY = /^[0-9a-f]{64}$/i;
const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;

/** 32 bytes, written as 64 hex digits or as base64; `undefined` for any other text. */
function parseKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (HEX_KEY.test(trimmed)) return Buffer.from(trimmed, "hex");
  return BASE64_KEY.test(trimmed) ? Buffer.from(trimmed, "base64") : undefined;
}

/** `undefined` if there is no such file. Restricts it to this account, and throws if it contains no key. */
export function readKeyFile(file: string): Buffer | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if ((found.mode & 0o077) !== 0) hideFromOthers(file);
  const key = parseKey(readFileSync(file, "utf8"));
  if (key !== undefined) return key;
  const fix = "Restore it from your backup.";
  throw new StoreError("STORE_KEY", `${file} is not a key: it must contain 64 hex digits`, fix);
}

/** A key that an orchestrator mounts read-only keeps its mode. */
function hideFromOthers(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    if (!["EPERM", "EROFS"].includes(String(fieldOf(error, "code")))) throw error;
  }
}

/** Writes a key for this account only, unless the file exists. */
export function createKeyFile(file: string, key: Uint8Array): void {
  createFile(
    file,
    `${Buffer.from(key).toString("hex")}
`,
  );
}

/** Where the key of a store comes from. */
export type KeyPlace = { readonly kind: "environment" } | { readonly kind: "file"; readonly file: string };

/** The store's name for people, the folders that must not contain its key, and the environment that names the key. */
export type SealedStore = {
  readonly where: string;
  readonly homes: readonly string[];
  readonly env: NodeJS.ProcessEnv;
};

export function sealedStore(where: string, home: string | undefined, env: NodeJS.ProcessEnv): SealedStore {
  return { where, homes: [...(home === undefined ? [] : [home]), conductHome(env)], env };
}

/** `CONDUCT_DATA_KEY` if set, else a file for this store. Throws if the key folder is inside the data. */
export function keyPlace({ env, homes }: SealedStore, id: string): KeyPlace {
  if (env.CONDUCT_DATA_KEY) return { kind: "environment" };
  const folder = keysFolder(env);
  const home = homes.find((one) => isWithin(realFolder(folder), realFolder(one)));
  if (home === undefined) return { kind: "file", file: join(folder, `${id}.key`) };
  const what = `The key folder ${folder} is inside ${home}, next to the data that its keys protect`;
  throw new StoreError("STORE_KEY", what, "Set CONDUCT_KEYS to a folder outside it.");
}

/** `undefined` if there is none. */
export function readDataKey({ where, env }: SealedStore, place: KeyPlace): Uint8Array | undefined {
  if (place.kind === "environment") {
    const key = parseKey(env.CONDUCT_DATA_KEY ?? "");
    if (key !== undefined) return key;
    const fix = "Set it to 32 bytes, written as 64 hex digits or as base64.";
    throw new StoreError("STORE_KEY", "CONDUCT_DATA_KEY is not a key", fix);
  }
  return unlessUnusable(where, place.file, () => readKeyFile(place.file));
}

/** Creates the key of a store that has none. Processes that start at once all get the same key. */
export function makeDataKey(store: SealedStore, place: KeyPlace): Uint8Array {
  const found = readDataKey(store, place);
  if (found !== undefined || place.kind === "environment") return found ?? missingKey(store, place);
  const { file } = place;
  unlessUnusable(store.where, file, () => createKeyFile(file, randomBytes(32)));
  return readDataKey(store, place) ?? missingKey(store, place);
}

/** Throws: the store has sealed data, and no key opens it. */
export function missingKey({ where }: SealedStore, place: KeyPlace): never {
  const expected = place.kind === "file" ? `in ${place.file}` : "in CONDUCT_DATA_KEY";
  const what = `The key of the store ${where} is missing: it was expected ${expected}`;
  const restore =
    place.kind === "file"
      ? "Restore that file from your backup, or set CONDUCT_DATA_KEY to the key"
      : "Set it from your backup";
  throw new StoreError("STORE_KEY", what, `${restore}. ${LOST}`);
}

/** Throws: there is a key, and it belongs to another store. */
export function wrongKey({ where }: SealedStore, place: KeyPlace): never {
  const given = place.kind === "file" ? `The key in ${place.file}` : "The key in CONDUCT_DATA_KEY";
  const fix = `Restore the store's own key from your backup. ${LOST}`;
  throw new StoreError("STORE_KEY", `${given} is not the key of the store ${where}`, fix);
}

/** Short, because error messages are cut. docs/concepts/data.md says what is sealed. */
const LOST = "Without the key, nobody can read the sealed content.";

function unlessUnusable<T>(where: string, file: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const what = `The key of the store ${where} cannot be used: ${errorText(error)}`;
    const fix = `Give this account the right to write to the folder of ${file}, or set CONDUCT_KEYS to another folder.`;
    throw new StoreError("STORE_KEY", what, fix, error);
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`));
}

/** The folder of all keys: never in `CONDUCT_HOME`, so that a copy of the data contains no keys. */
export function keysFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env.CONDUCT_KEYS || join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "conduct", "keys"));
}
