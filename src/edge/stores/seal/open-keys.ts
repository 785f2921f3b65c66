import { rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { conductHome } from "../../host/workspace/conduct-home.ts";
import type { SealState } from "../sql/migrations.ts";
import type { StorePlace } from "../sql/open-database.ts";
import type { SqlDatabase } from "../sql/tables.ts";
import {
  createKeyFile,
  type KeyPlace,
  keyPlace,
  keysFolder,
  makeDataKey,
  missingKey,
  readDataKey,
  readKeyFile,
  type SealedStore,
  sealedStore,
  wrongKey,
} from "./key-files.ts";
import { sealWith, subkey } from "./seal.ts";
import type { StoreKeys } from "./store-keys.ts";

/** Finds the key of a store, or creates it for a new one, and seals rows that an older Conduct left in clear. */
export async function openKeys(
  db: SqlDatabase,
  place: StorePlace,
  where: string,
  env = process.env,
): Promise<StoreKeys> {
  const home = place.kind === "sqlite" ? dirname(resolve(place.file)) : undefined;
  const { id, key, source } = await confirmedKey(db, sealedStore(where, home, env));
  const seal = sealWith(key);
  if ((await rowOf(db)).state !== "clean") {
    const { sealExisting } = await import("./seal-existing.ts");
    await sealExisting(db, place.kind, seal);
  }
  let hashKey: Uint8Array | undefined;
  return {
    seal: async () => seal,
    async journal() {
      const old = join(home ?? conductHome(env), "journal.key");
      hashKey ??= journalKey(old, { folder: keysFolder(env), id }, subkey(key, "journal"));
      return hashKey;
    },
    async status() {
      return { key: source, state: (await rowOf(db)).state as SealState };
    },
  };
}

type Confirmed = { readonly id: string; readonly key: Uint8Array; readonly source: KeyPlace };

/**
 * The key that the store was created with. A new key is made only while the store has none. Its check value is then in
 * the store, so of machines that start at once with different keys one wins.
 */
async function confirmedKey(db: SqlDatabase, store: SealedStore): Promise<Confirmed> {
  const { store: id, key_check: known } = await rowOf(db);
  const source = keyPlace(store, id);
  if (known !== null) {
    const key = readDataKey(store, source) ?? missingKey(store, source);
    if (checkOf(key) !== known) wrongKey(store, source);
    return { id, key, source };
  }
  const key = makeDataKey(store, source);
  await db
    .updateTable("conduct_seal")
    .set({ key_check: checkOf(key) })
    .where("key_check", "is", null)
    .execute();
  if ((await rowOf(db)).key_check !== checkOf(key)) wrongKey(store, source);
  return { id, key, source };
}

function rowOf(db: SqlDatabase) {
  return db.selectFrom("conduct_seal").selectAll().where("one", "=", 1).executeTakeFirstOrThrow();
}

/** A value that confirms the right key and reveals nothing else. */
function checkOf(key: Uint8Array): string {
  return subkey(key, "check").toString("hex");
}

/**
 * The key that hashes secrets in the journal, derived from the store's data key. Older homes have a `journal.key` next
 * to the data: it is moved to the key folder, so that equal secrets keep equal hashes.
 */
function journalKey(
  old: string,
  keys: { readonly folder: string; readonly id: string },
  derived: Uint8Array,
): Uint8Array {
  const moved = join(keys.folder, `${keys.id}.journal.key`);
  const kept = readKeyFile(moved);
  if (kept !== undefined) return kept;
  const before = readKeyFile(old);
  if (before === undefined) return derived;
  move(before, old, moved);
  return before;
}

/** If the folder is not writable the key stays. The old file is deleted once the new one can be read. */
function move(key: Buffer, old: string, moved: string): void {
  try {
    createKeyFile(moved, key);
    if (readKeyFile(moved)?.equals(key) === true) rmSync(old);
  } catch {
    // It is tried again at the next start.
  }
}
