import type { StorePlace } from "./open-database.ts";
import type { SqlStore } from "./sql-store.ts";

/** Opens the store, and makes it when there is none. The libraries are loaded here and not before: they cost a tenth of a second. */
export async function openSqlStore(place: StorePlace): Promise<SqlStore> {
  const { openStore } = await import("./sql-store.ts");
  return openStore(place);
}
