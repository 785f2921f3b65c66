import type { StorePlace } from "../open-database.ts";
import type { HistoryReader } from "./sqlite-history-reader.ts";

/** Reads many whole sessions of an existing store; see `sqliteHistoryReader` for its risk. */
export async function openHistories(place: StorePlace): Promise<HistoryReader> {
  if (place.kind === "sqlite") {
    const { sqliteHistoryReader } = await import("./sqlite-history-reader.ts");
    return sqliteHistoryReader(place.file);
  }
  const { openStore } = await import("../sql-store.ts");
  const store = await openStore(place);
  return { histories: (sessions) => store.events.histories(sessions), close: () => store.close() };
}
