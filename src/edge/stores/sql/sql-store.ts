import { headsFileOf, headsInFile, witnessed } from "../files/governance-heads.ts";
import { memoryKeys } from "../seal/seal.ts";
import { type StoreKeys, storeKeys } from "../seal/store-keys.ts";
import type { SqliteReader } from "./dialects/sqlite-reader.ts";
import type { SqliteWriter } from "./dialects/sqlite-writer.ts";
import { sqlEvents } from "./events/events.ts";
import { followEvents } from "./events/follow-events.ts";
import { type OpenDatabase, openDatabase, openMemoryDatabase, type StorePlace } from "./open-database.ts";
import { sqlAdherence } from "./ports/adherence.ts";
import { sqlAgents } from "./ports/agents.ts";
import { sqlConversations } from "./ports/conversations.ts";
import { sqlDayUsage } from "./ports/day-usage.ts";
import { sqlGovernance } from "./ports/governance.ts";
import { sqlAnswers } from "./ports/hosting/answers.ts";
import { sqlDeliveries } from "./ports/hosting/deliveries.ts";
import { noFences } from "./ports/hosting/fences.ts";
import { sqlPosts } from "./ports/hosting/posts.ts";
import { sqlQuestions } from "./ports/hosting/questions.ts";
import { NO_REPLICAS, sqlReplicas } from "./ports/hosting/replicas.ts";
import { sqlResults } from "./ports/hosting/results.ts";
import { sqlInstructions } from "./ports/instructions.ts";
import { sqlNotes } from "./ports/notes.ts";
import { sqlReplies } from "./ports/replies.ts";
import { sqlSchedules } from "./ports/schedules.ts";
import { sqlSessions } from "./ports/sessions.ts";
import { sqlUsers } from "./ports/users.ts";
import { rebuildSearch } from "./search/rebuild-search.ts";
import { explained } from "./store-error.ts";

/** All stores in one database. Methods reject with a `StoreError` if the database is the reason. */
export type SqlStore = ReturnType<typeof storeOver>;

/** See `openSqlStore`. */
export async function openStore(place: StorePlace, env: NodeJS.ProcessEnv = process.env): Promise<SqlStore> {
  const database = await openDatabase(place);
  const keys = storeKeys(database.db, place, database.where, env);
  const redisUrl = env.CONDUCT_REDIS_URL?.trim() || undefined;
  return storeOver(database, place, keys, headsFileOf(place), await directOf(database), redisUrl);
}

/** A store that ends with this process. */
export async function openMemoryStore(): Promise<SqlStore> {
  const database = await openMemoryDatabase();
  return storeOver(database, { kind: "sqlite" }, memoryKeys(), undefined, await directOf(database));
}

/** SQLite without the query builder, for the reads and writes of a turn. */
type Direct = { readonly write?: SqliteWriter; readonly read?: SqliteReader };

async function directOf({ sqlite }: OpenDatabase): Promise<Direct> {
  if (sqlite === undefined) return {};
  const [{ sqliteWriter }, { sqliteReader }] = await Promise.all([
    import("./dialects/sqlite-writer.ts"),
    import("./dialects/sqlite-reader.ts"),
  ]);
  return { write: sqliteWriter(sqlite), read: sqliteReader(sqlite) };
}

type Place = { readonly kind: "sqlite" } | { readonly kind: "postgres"; readonly url: string };

function storeOver(
  { db, explain }: OpenDatabase,
  place: Place,
  keys: StoreKeys,
  heads: string | undefined,
  direct: Direct,
  redisUrl?: string,
) {
  const { kind } = place;
  const fences = noFences();
  const follower = followEvents(db, kind);
  const governance = explained(sqlGovernance(db, kind, direct.read), explain);
  return {
    kind,
    instructions: explained(sqlInstructions(db, keys, direct.read), explain),
    memory: explained(sqlNotes(db, kind, keys), explain),
    governance: heads === undefined ? governance : witnessed(governance, headsInFile(heads)),
    /** Loads the code when it is needed, which is rare. */
    async governanceRepair() {
      const { sqlGovernanceRepair } = await import("./ports/governance-repair.ts");
      return explained(sqlGovernanceRepair(db, kind, heads), explain);
    },
    events: explained(sqlEvents(db, kind, keys, follower, direct.write), explain),
    adherence: explained(sqlAdherence(db), explain),
    agents: explained(sqlAgents(db), explain),
    sessions: explained(sqlSessions(db, keys, direct.write, fences), explain),
    users: explained(sqlUsers(db, kind, direct.read), explain),
    days: explained(sqlDayUsage(db), explain),
    conversations: explained(sqlConversations(db, kind, keys, direct, fences), explain),
    schedules: explained(sqlSchedules(db, kind, keys), explain),
    questions: explained(sqlQuestions(db, keys), explain),
    deliveries: explained(sqlDeliveries(db, keys), explain),
    answers: explained(sqlAnswers(db), explain),
    posts: explained(sqlPosts(db), explain),
    replicas: explained(
      place.kind === "postgres" ? sqlReplicas(db, place.url, fences, keys, redisUrl) : NO_REPLICAS,
      explain,
    ),
    results: explained(sqlResults(db, keys), explain),
    replies: explained(sqlReplies(db, keys), explain),
    /** The keys that seal content. */
    keys: explained(keys, explain),
    /** Rebuilds the word indexes from the stored rows. */
    rebuildSearch: () =>
      rebuildSearch(db, kind, keys).catch((error: unknown) => {
        throw explain(error);
      }),
    async close() {
      await follower.stop();
      // Writes that wait for another one are committed now.
      await direct.write?.(() => undefined).catch(() => undefined);
      await db.destroy();
    },
  };
}
