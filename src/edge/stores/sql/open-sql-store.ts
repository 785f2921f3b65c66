import type { StorePlace } from "./open-database.ts";
import type { SqlStore } from "./sql-store.ts";

/** Opens the store, and creates it if needed. Loads the libraries only here, because that takes a tenth of a second. */
export async function openSqlStore(place: StorePlace, env?: NodeJS.ProcessEnv): Promise<SqlStore> {
  const { openStore } = await import("./sql-store.ts");
  return openStore(place, env);
}
