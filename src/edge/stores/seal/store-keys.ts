import type { SealState } from "../sql/migrations.ts";
import type { StorePlace } from "../sql/open-database.ts";
import type { SqlDatabase } from "../sql/tables.ts";
import type { KeyPlace } from "./key-files.ts";
import type { Seal } from "./seal.ts";

/** The keys of one store, loaded when they are first needed. */
export type StoreKeys = {
  /** Seals and opens content. Rejects with `STORE_KEY` if the key is missing or wrong; a new store gets a new key. */
  seal(): Promise<Seal>;
  /** The key under which secrets are hashed in the journal. */
  journal(): Promise<Uint8Array>;
  /** The place of the confirmed key, and how far the store is sealed. */
  status(): Promise<{ readonly key: KeyPlace | { readonly kind: "memory" }; readonly state: SealState }>;
};

/** Loads code and key when content is first read or written; most commands never do. */
export function storeKeys(db: SqlDatabase, place: StorePlace, where: string, env: NodeJS.ProcessEnv): StoreKeys {
  let opening: Promise<StoreKeys> | undefined;

  async function opened(): Promise<StoreKeys> {
    opening ??= import("./open-keys.ts")
      .then(({ openKeys }) => openKeys(db, place, where, env))
      .catch((error: unknown) => {
        // A restored key is found without a restart.
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
