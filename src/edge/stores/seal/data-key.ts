import { randomBytes } from "node:crypto";
import { join, relative, sep } from "node:path";
import { errorText } from "../../../base/kernel/error-text.ts";
import { realFolder } from "../../host/trust/real-folder.ts";
import { conductHome } from "../../host/workspace/conduct-home.ts";
import { StoreError } from "../sql/store-error.ts";
import { createKeyFile, parseKey, readKeyFile } from "./key-file.ts";
import { keysFolder } from "./keys-folder.ts";

/** Where the key of a store comes from. */
export type KeyPlace = { readonly kind: "environment" } | { readonly kind: "file"; readonly file: string };

/** A store as people know it, the folders that a key may not lie in, and the environment that names the key. */
export type SealedStore = {
  readonly where: string;
  readonly homes: readonly string[];
  readonly env: NodeJS.ProcessEnv;
};

export function sealedStore(where: string, home: string | undefined, env: NodeJS.ProcessEnv): SealedStore {
  return { where, homes: [...(home === undefined ? [] : [home]), conductHome(env)], env };
}

/** `CONDUCT_DATA_KEY` if set, else a file of the store's own. Refuses a folder that lies with the data. */
export function keyPlace({ env, homes }: SealedStore, id: string): KeyPlace {
  if (env.CONDUCT_DATA_KEY) return { kind: "environment" };
  const folder = keysFolder(env);
  const home = homes.find((one) => isWithin(realFolder(folder), realFolder(one)));
  if (home === undefined) return { kind: "file", file: join(folder, `${id}.key`) };
  const what = `The key folder ${folder} lies in ${home}, next to the data that its keys protect`;
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

/** Makes the key of a store that has none yet. Of processes that start at once, all get the same one. */
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
      ? "Put that file back from your backup, or set CONDUCT_DATA_KEY to the key"
      : "Set it from your backup";
  throw new StoreError("STORE_KEY", what, `${restore}. ${LOST}`);
}

/** Throws: there is a key, and it belongs to another store. */
export function wrongKey({ where }: SealedStore, place: KeyPlace): never {
  const given = place.kind === "file" ? `The key in ${place.file}` : "The key in CONDUCT_DATA_KEY";
  const fix = `Put back the key that it was made with, from your backup. ${LOST}`;
  throw new StoreError("STORE_KEY", `${given} is not the key of the store ${where}`, fix);
}

/** Short, because errors are cut where they are shown. What it covers is in docs/data.md. */
const LOST = "Without it nobody can read what was said.";

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
