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
import { headsFileOf, headsInFile, witnessed } from "../files/governance-heads.ts";
import { memoryKeys } from "../seal/memory-keys.ts";
import { type StoreKeys, storeKeys } from "../seal/store-keys.ts";
import { sqlEvents } from "./events/events.ts";
import { type OpenDatabase, openDatabase, openMemoryDatabase, type StorePlace } from "./open-database.ts";
import { sqlAgents } from "./ports/agents.ts";
import { sqlConversations } from "./ports/conversations.ts";
import { sqlGovernance } from "./ports/governance.ts";
import { sqlInstructions } from "./ports/instructions.ts";
import { sqlNotes } from "./ports/notes.ts";
import { sqlReplies } from "./ports/replies.ts";
import { type SqlResults, type SqlResultsOptions, sqlResults } from "./ports/results.ts";
import { sqlSchedules } from "./ports/schedules.ts";
import { sqlSessions } from "./ports/sessions.ts";
import { sqlUsers } from "./ports/users.ts";
import { rebuildSearch, type SearchRebuilt } from "./search/rebuild-search.ts";
import { explained } from "./store-error.ts";
import type { SqlKind } from "./tables.ts";
import { groupWrites, writeAlone } from "./transactions.ts";

export type StoreHealth = { readonly kind: "ok" } | { readonly kind: "down"; readonly message: string };

/** All stores in one database. Methods reject with a `StoreError` if the database is the reason. */
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
  /** The keys that seal content. */
  readonly keys: StoreKeys;
  results(options?: SqlResultsOptions): SqlResults;
  /** Loads the code when it is needed, which is rare. */
  governanceRepair(): Promise<GovernanceRepair>;
  /** Rebuilds the word indexes from the stored rows. */
  rebuildSearch(): Promise<SearchRebuilt>;
  /** Never rejects. */
  health(): Promise<StoreHealth>;
  close(): Promise<void>;
};

/** See `openSqlStore`. */
export async function openStore(place: StorePlace, env: NodeJS.ProcessEnv = process.env): Promise<SqlStore> {
  const database = await openDatabase(place);
  return storeOver(database, place.kind, storeKeys(database.db, place, database.where, env), headsFileOf(place));
}

/** A store that ends with this process. */
export async function openMemoryStore(): Promise<SqlStore> {
  return storeOver(await openMemoryDatabase(), "sqlite", memoryKeys(), undefined);
}

function storeOver({ db, explain }: OpenDatabase, kind: SqlKind, keys: StoreKeys, heads: string | undefined): SqlStore {
  const grouped = kind === "sqlite" ? groupWrites(db) : undefined;
  const governance = explained(sqlGovernance(db, kind), explain);
  return {
    kind,
    instructions: explained(sqlInstructions(db, keys), explain),
    memory: explained(sqlNotes(db, kind, keys), explain),
    governance: heads === undefined ? governance : witnessed(governance, headsInFile(heads)),
    async governanceRepair() {
      const { sqlGovernanceRepair } = await import("./ports/governance-repair.ts");
      return explained(sqlGovernanceRepair(db, kind, heads), explain);
    },
    events: explained(sqlEvents(db, kind, keys), explain),
    agents: explained(sqlAgents(db), explain),
    sessions: explained(sqlSessions(db, keys, grouped), explain),
    users: explained(sqlUsers(db, kind), explain),
    conversations: explained(sqlConversations(db, grouped ?? writeAlone(db), keys), explain),
    schedules: explained(sqlSchedules(db, kind, keys), explain),
    replies: explained(sqlReplies(db, keys), explain),
    keys: explained(keys, explain),
    rebuildSearch: () =>
      rebuildSearch(db, kind, keys).catch((error: unknown) => {
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
