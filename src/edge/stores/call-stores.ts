import { sql } from "kysely";
import { storeKeys } from "./seal/store-keys.ts";
import { sqlEvents } from "./sql/events/events.ts";
import { followEvents } from "./sql/events/follow-events.ts";
import { openDatabase, type StorePlace } from "./sql/open-database.ts";
import { sqlSessions } from "./sql/ports/sessions.ts";
import { explained } from "./sql/store-error.ts";

/**
 * The stores for a process that writes at every call. SQLite does not wait for the disk each time: writes survive the
 * end of this process, but a power cut may lose the last moments.
 */
export async function openCallStores(place: StorePlace, env: NodeJS.ProcessEnv = process.env) {
  const { db, where, explain, sqlite } = await openDatabase(place);
  const direct = sqlite && (await import("./sql/dialects/sqlite-writer.ts")).sqliteWriter(sqlite);
  const keys = storeKeys(db, place, where, env);
  const follower = followEvents(db, place.kind);
  if (place.kind === "sqlite") await sql`pragma synchronous = normal`.execute(db);
  return {
    sessions: explained(sqlSessions(db, keys, direct), explain),
    events: explained(sqlEvents(db, place.kind, keys, follower, direct), explain),
    keys: explained(keys, explain),
    async close() {
      await follower.stop();
      await db.destroy();
    },
  };
}
