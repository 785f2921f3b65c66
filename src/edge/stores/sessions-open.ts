import { sql } from "kysely";
import type { SessionsStore } from "../../base/ports/sessions.ts";
import { openDatabase, type StorePlace } from "./sql/open-database.ts";
import { sqlSessions } from "./sql/sql-sessions.ts";
import { explained } from "./sql/store-error.ts";

/**
 * The sessions of a store, for whoever saves one at every call. On a connection of its own: to wait for the disk each time would
 * double the time of a call. What was saved survives the end of this process, however it ends; a power cut may lose the last moments.
 */
export async function openSessions(place: StorePlace): Promise<SessionsStore & { close(): Promise<void> }> {
  const { db, explain } = await openDatabase(place);
  if (place.kind === "sqlite") await sql`pragma synchronous = normal`.execute(db);
  return { ...explained(sqlSessions(db), explain), close: () => db.destroy() };
}
