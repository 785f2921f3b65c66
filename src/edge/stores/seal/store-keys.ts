import type { SealState } from "../sql/migrations.ts";
import type { StorePlace } from "../sql/open-database.ts";
import type { SqlDatabase } from "../sql/tables.ts";
import type { KeyPlace } from "./key-files.ts";
import type { Seal } from "./seal.ts";

/** The keys of one store, looked for when they are first needed. */
export type StoreKeys = {
  /** Seals and opens content. Rejects with `STORE_KEY` if the key is missing or wrong; a new store gets a new key. */
  seal(): Promise<Seal>;
  /** The key under which secrets are hashed in the journal. */
  journal(): Promise<Uint8Array>;
  /** Where the key is, once it was found to be the right one, and how far the store is sealed. */
  status(): Promise<{ readonly key: KeyPlace | { readonly kind: "memory" }; readonly state: SealState }>;
};

/** Nothing is loaded, and no key looked for or made, before content is read or written: most commands never do. */
export function storeKeys(db: SqlDatabase, place: StorePlace, where: string): StoreKeys {
  let opening: Promise<StoreKeys> | undefined;

  async function opened(): Promise<StoreKeys> {
    opening ??= import("./open-keys.ts")
      .then(({ openKeys }) => openKeys(db, place, where))
      .catch((error: unknown) => {
        // A key that is put back is found without a restart.
        opening = undefined;
        throw error;
      });
    return opening;
  }

  return {
    seal: async () => (await opened()).seal(),
    journal: async () => (await opened()).journal(),
    status: async () => (await opened()).status(),
  };
}
