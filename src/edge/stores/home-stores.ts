import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { AdherenceStore } from "../../base/ports/stores/adherence.ts";
import type { AgentsStore } from "../../base/ports/stores/agents.ts";
import type { ConversationsStore } from "../../base/ports/stores/conversations.ts";
import type { DayUsageStore } from "../../base/ports/stores/day-usage.ts";
import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../base/ports/stores/governance.ts";
import type { AnswersStore } from "../../base/ports/stores/hosting/answers.ts";
import type { DeliveriesStore } from "../../base/ports/stores/hosting/deliveries.ts";
import type { PostsStore } from "../../base/ports/stores/hosting/posts.ts";
import type { QuestionsStore } from "../../base/ports/stores/hosting/questions.ts";
import type { ReplicasStore } from "../../base/ports/stores/hosting/replicas.ts";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { NotesStore } from "../../base/ports/stores/memory.ts";
import type { RepliesStore } from "../../base/ports/stores/replies.ts";
import type { KeptResults } from "../../base/ports/stores/results.ts";
import type { SchedulesStore } from "../../base/ports/stores/schedules.ts";
import type { SessionsStore } from "../../base/ports/stores/sessions.ts";
import type { UsersStore } from "../../base/ports/stores/users.ts";
import { CHAIN_START } from "../../engine/journal/governance-chain.ts";
import { headsFileOf, headsInFile } from "./files/governance-heads.ts";
import { readRange, searchRange } from "./ranges.ts";
import type { StoreKeys } from "./seal/store-keys.ts";
import type { StorePlace } from "./sql/open-database.ts";
import { openSqlStore } from "./sql/open-sql-store.ts";
import type { SqlStore } from "./sql/sql-store.ts";
import { StoreError } from "./sql/store-error.ts";

/** Named one by one, not derived from `SqlStore`: the package's declarations must not need the query builder. */
type Ports = {
  readonly instructions: InstructionsStore;
  readonly memory: NotesStore;
  readonly governance: Omit<GovernanceJournal, "witness">;
  readonly events: EventJournal;
  readonly adherence: AdherenceStore;
  readonly agents: AgentsStore;
  readonly sessions: SessionsStore;
  readonly users: UsersStore;
  readonly days: DayUsageStore;
  readonly conversations: ConversationsStore;
  readonly schedules: SchedulesStore;
  readonly questions: QuestionsStore;
  readonly deliveries: DeliveriesStore;
  readonly answers: AnswersStore;
  readonly posts: PostsStore;
  /** PostgreSQL only. */
  readonly replicas: ReplicasStore;
  /** Whole results, for gateways that share a store. */
  readonly results: KeptResults;
  readonly replies: RepliesStore;
  readonly keys: StoreKeys;
};

/** Everything that Conduct stores outside of a session. */
export type HomeStores = Omit<Ports, "governance"> & {
  readonly governance: GovernanceJournal;
  close(): Promise<void>;
};

/**
 * The stores of one place, opened when they are first needed. Reading from an embedded store that nobody has written to
 * creates no file. A store that could not be opened is tried again the next time. After `close`, or after the store's
 * folder was removed, every access is rejected and nothing is created.
 */
export function homeStores(place: StorePlace, env?: NodeJS.ProcessEnv): HomeStores {
  let opening: Promise<SqlStore> | undefined;
  let closed = false;
  const heads = headsFileOf(place);
  const isStanding = place.kind === "sqlite" ? standingFolder(dirname(resolve(place.file))) : () => true;

  async function open(): Promise<SqlStore> {
    if (closed) throw new StoreError("STORE_CLOSED", "The store was closed", "Open it again.");
    if (opening === undefined && !isStanding()) {
      const what = "The folder of the store was removed while it was in use";
      throw new StoreError("STORE_GONE", what, "Put it back, or restart with an empty one.");
    }
    opening ??= openSqlStore(place, env).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  const isNew = () => opening === undefined && place.kind === "sqlite" && !existsSync(place.file);
  const ports = lazyPorts(open, isNew);
  return {
    ...ports,
    governance: { ...ports.governance, witness: heads === undefined ? undefined : headsInFile(heads) },
    async close() {
      closed = true;
      const store = await opening?.catch(() => undefined);
      opening = undefined;
      await store?.close();
    },
  };
}

/** Stores that end with this process: SQLite in memory, opened when first needed. */
export function memoryStores(): Ports {
  let opening: Promise<SqlStore> | undefined;
  return lazyPorts(
    () => {
      opening ??= import("./sql/sql-store.ts").then(({ openMemoryStore }) => openMemoryStore());
      return opening;
    },
    () => false,
  );
}

/** Each method either opens the store, or gives this answer as long as nobody has written to it. */
type Answers = { readonly [P in keyof Ports]: { readonly [M in keyof Ports[P]]: Ports[P][M] | "opens" } };

const nothing = async () => undefined;
const none = async () => [];
const zero = async () => 0;
const opens = "opens";

const ANSWERS: Answers = {
  instructions: {
    read: async () => ({ version: 0, items: [], at: 0, by: "", change: "none" }),
    version: nothing,
    write: opens,
  },
  memory: { search: async () => ({ notes: [], total: 0 }), remove: async () => false, save: opens },
  governance: {
    head: async () => CHAIN_START,
    async read(query) {
      readRange(query);
      return { entries: [] };
    },
    async search(query) {
      searchRange(query);
      return [];
    },
    append: opens,
  },
  agents: { read: nothing, version: nothing, list: none, put: opens },
  events: {
    read: async () => ({ events: [] }),
    follow: none,
    find: nothing,
    findDecision: none,
    histories: async (sessions) => sessions.map(() => []),
    count: zero,
    head: zero,
    session: nothing,
    sessions: async () => ({ sessions: [], total: 0 }),
    agents: none,
    contractUse: async () => ({ prompts: 0, sessions: 0 }),
    figures: none,
    unanswered: none,
    readSections: async () => new Map(),
    deleteSession: zero,
    expire: zero,
    rebuild: zero,
    append: opens,
    keepSections: opens,
  },
  adherence: { position: zero, rows: none, lastTurns: async () => new Map(), clear: nothing, advance: opens },
  users: {
    ...{ read: nothing, byTelegram: nothing, bySlack: nothing, list: none, readKey: nothing, keysOf: none },
    ...{ add: opens, change: opens, addKey: opens, takeKey: opens },
  },
  days: { add: opens },
  conversations: {
    ...{ create: opens, read: opens, at: opens, list: opens, append: opens, transcript: opens, addTurn: opens },
    ...{ updateTurn: opens, turn: opens, turns: opens, openTurns: opens, remove: opens },
  },
  schedules: {
    ...{ add: opens, change: opens, read: opens, list: opens, remove: opens, begin: opens, end: opens },
    ...{ unfinished: opens, runs: opens },
  },
  questions: {
    ...{ add: opens, find: nothing, open: none, always: none, addAlways: opens, answer: opens, reopen: opens },
    ...{ endAlways: opens, forget: nothing, expire: nothing },
  },
  deliveries: {
    ...{ position: opens, advance: opens, add: opens, due: none, record: opens, find: nothing, list: none },
    ...{ retry: async () => false, expire: nothing },
  },
  posts: { add: opens, list: none, remove: opens },
  answers: { claim: opens, attach: opens, takeOver: none, isOwed: opens, settle: opens, expire: nothing },
  replicas: {
    ...{
      join: opens,
      beat: opens,
      leave: opens,
      list: opens,
      reap: opens,
      take: opens,
      give: opens,
      freeUnheld: opens,
      placeFiles: opens,
    },
    ...{ waiting: opens, backlog: opens, send: opens, receive: opens, publish: opens, listen: opens },
  },
  results: { keep: opens, read: nothing, forget: nothing },
  replies: { claim: opens, keep: opens, drop: opens, expire: opens },
  sessions: {
    ...{ load: opens, setAside: opens, save: opens, append: opens, lease: opens, renew: opens, release: opens },
    ...{ remove: opens, expire: opens },
  },
  keys: { seal: opens, journal: opens, status: opens },
};

function lazyPorts(open: () => Promise<SqlStore>, isNew: () => boolean): Ports {
  type Method = (...input: readonly unknown[]) => Promise<unknown>;
  const ports = Object.entries(ANSWERS).map(([port, answers]) => {
    const methods = Object.entries(answers as Record<string, Method | "opens">).map(([name, answer]) => {
      const method: Method = async (...input) => {
        if (answer !== "opens" && isNew()) return answer(...input);
        const opened = (await open())[port as keyof Ports] as unknown as Record<string, Method>;
        return opened[name]?.(...input);
      };
      return [name, method];
    });
    return [port, Object.fromEntries(methods)];
  });
  // `ANSWERS` names every port and every method of it, by its type.
  return Object.fromEntries(ports) as Ports;
}

/**
 * Remembers which folder of the path exists now. The returned function tells whether it still exists, so that a later
 * background write does not recreate a removed folder.
 */
function standingFolder(path: string): () => boolean {
  let standing = path;
  while (!existsSync(standing) && dirname(standing) !== standing) standing = dirname(standing);
  return () => existsSync(standing);
}
