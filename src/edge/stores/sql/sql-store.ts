import { errorText } from "../../../base/kernel/error-text.ts";
import type { AgentsStore } from "../../../base/ports/stores/agents.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { GovernanceRepair } from "../../../base/ports/stores/governance-repair.ts";
import type { InstructionsStore } from "../../../base/ports/stores/instructions.ts";
import type { NotesStore } from "../../../base/ports/stores/memory.ts";
import type { RepliesStore } from "../../../base/ports/stores/replies.ts";
import type { SchedulesStore } from "../../../base/ports/stores/schedules.ts";
import type { SessionsStore } from "../../../base/ports/stores/sessions.ts";
import type { UsersStore } from "../../../base/ports/stores/users.ts";
import { headsFileOf, headsInFile, witnessed } from "../governance-heads.ts";
import { type StoreKeys, storeKeys } from "../seal/store-keys.ts";
import { groupWrites, writeAlone } from "./group-writes.ts";
import { openDatabase, type StorePlace } from "./open-database.ts";
import { rebuildSearch, type SearchRebuilt } from "./rebuild-search.ts";
import { sqlAgents } from "./sql-agents.ts";
import { sqlConversations } from "./sql-conversations.ts";
import { sqlEvents } from "./sql-events.ts";
import { sqlGovernance } from "./sql-governance.ts";
import { sqlInstructions } from "./sql-instructions.ts";
import { sqlNotes } from "./sql-notes.ts";
import { sqlReplies } from "./sql-replies.ts";
import { type SqlResults, type SqlResultsOptions, sqlResults } from "./sql-results.ts";
import { sqlSchedules } from "./sql-schedules.ts";
import { sqlSessions } from "./sql-sessions.ts";
import { sqlUsers } from "./sql-users.ts";
import { explained } from "./store-error.ts";

export type StoreHealth = { readonly kind: "ok" } | { readonly kind: "down"; readonly message: string };

/** All that Conduct keeps in one database. Every method rejects with a `StoreError` when the database is the reason. */
export type SqlStore = {
  readonly kind: StorePlace["kind"];
  readonly instructions: InstructionsStore;
  readonly memory: NotesStore;
  readonly governance: GovernanceJournal;
  readonly events: EventJournal;
  readonly agents: AgentsStore;
  readonly sessions: SessionsStore;
  readonly users: UsersStore;
  readonly conversations: ConversationsStore;
  readonly schedules: SchedulesStore;
  readonly replies: RepliesStore;
  /** What content is sealed with. */
  readonly keys: StoreKeys;
  results(options?: SqlResultsOptions): SqlResults;
  /** Loaded when it is needed, which is rarely. */
  governanceRepair(): Promise<GovernanceRepair>;
  /** Makes the indexes of words anew from what is kept. */
  rebuildSearch(): Promise<SearchRebuilt>;
  /** Never rejects. */
  health(): Promise<StoreHealth>;
  close(): Promise<void>;
};

/** See `openSqlStore`. */
export async function openStore(place: StorePlace): Promise<SqlStore> {
  const { db, where, explain } = await openDatabase(place);
  const keys = storeKeys(db, place, where);
  const grouped = place.kind === "sqlite" ? groupWrites(db) : undefined;
  const governance = explained(sqlGovernance(db, place.kind), explain);
  const heads = headsFileOf(place);
  return {
    kind: place.kind,
    instructions: explained(sqlInstructions(db, keys), explain),
    memory: explained(sqlNotes(db, place.kind, keys), explain),
    governance: heads === undefined ? governance : witnessed(governance, headsInFile(heads)),
    async governanceRepair() {
      const { sqlGovernanceRepair } = await import("./sql-governance-repair.ts");
      return explained(sqlGovernanceRepair(db, place.kind, heads), explain);
    },
    events: explained(sqlEvents(db, place.kind, keys), explain),
    agents: explained(sqlAgents(db), explain),
    sessions: explained(sqlSessions(db, keys, grouped), explain),
    users: explained(sqlUsers(db, place.kind), explain),
    conversations: explained(sqlConversations(db, grouped ?? writeAlone(db), keys), explain),
    schedules: explained(sqlSchedules(db, place.kind, keys), explain),
    replies: explained(sqlReplies(db, keys), explain),
    keys: explained(keys, explain),
    rebuildSearch: () =>
      rebuildSearch(db, place.kind, keys).catch((error: unknown) => {
        throw explain(error);
      }),
    results: (options) => explained(sqlResults(db, keys, options), explain),
    async health() {
      try {
        await db.selectFrom("conduct_migration").select("name").limit(1).execute();
        return { kind: "ok" };
      } catch (error) {
        return { kind: "down", message: errorText(explain(error)) };
      }
    },
    close: () => db.destroy(),
  };
}
