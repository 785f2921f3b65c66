import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { AgentsStore } from "../../base/ports/stores/agents.ts";
import type { ConversationsStore } from "../../base/ports/stores/conversations.ts";
import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../base/ports/stores/governance.ts";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { NotesStore } from "../../base/ports/stores/memory.ts";
import type { RepliesStore } from "../../base/ports/stores/replies.ts";
import type { SchedulesStore } from "../../base/ports/stores/schedules.ts";
import type { SessionsStore } from "../../base/ports/stores/sessions.ts";
import type { UsersStore } from "../../base/ports/stores/users.ts";
import { memoryAgents } from "./agents-memory.ts";
import { memoryEvents } from "./events-memory.ts";
import { headsFileOf, headsInFile } from "./governance-heads.ts";
import { memoryGovernance } from "./governance-memory.ts";
import { memoryInstructions } from "./instructions-memory.ts";
import { memoryNotes } from "./notes-memory.ts";
import type { StoreKeys } from "./seal/store-keys.ts";
import type { StorePlace } from "./sql/open-database.ts";
import { openSqlStore } from "./sql/open-sql-store.ts";
import type { SqlStore } from "./sql/sql-store.ts";
import { StoreError } from "./sql/store-error.ts";
import { standingFolder } from "./standing-folder.ts";
import { memoryUsers } from "./users-memory.ts";

/** What Conduct keeps beyond a session. */
export type HomeStores = {
  readonly instructions: InstructionsStore;
  readonly memory: NotesStore;
  readonly governance: GovernanceJournal;
  readonly events: EventJournal;
  readonly agents: AgentsStore;
  readonly users: UsersStore;
  readonly conversations: ConversationsStore;
  readonly schedules: SchedulesStore;
  readonly replies: RepliesStore;
  readonly sessions: SessionsStore;
  readonly keys: StoreKeys;
  close(): Promise<void>;
};

/** Whether a method may create the store, or a store that does not exist yet is read as empty. */
type Methods<T, A = "opens" | "reads"> = {
  readonly [M in keyof T as T[M] extends (...given: never) => unknown ? M : never]: A;
};

const OPENS = "opens" as const;
const READS = "reads" as const;

/**
 * The stores of one place, opened when they are first needed. Reading from an embedded store that nobody has written to
 * makes no file; a store that could not be opened is tried again the next time. What comes after `close`, or after its folder
 * was removed, is refused and makes nothing anew.
 */
export function homeStores(place: StorePlace): HomeStores {
  let opening: Promise<SqlStore> | undefined;
  let closed = false;
  const heads = headsFileOf(place);
  const isStanding = place.kind === "sqlite" ? standingFolder(dirname(resolve(place.file))) : () => true;

  async function open(): Promise<SqlStore> {
    if (closed) throw new StoreError("STORE_CLOSED", "The store was closed", "Open it again.");
    if (opening === undefined && !isStanding()) throw folderGone();
    opening ??= openSqlStore(place).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  /** Nobody has ever written here. */
  function isNew(): boolean {
    return opening === undefined && place.kind === "sqlite" && !existsSync(place.file);
  }

  /** What reads are answered from until then. */
  const empty = {
    instructions: memoryInstructions(),
    memory: memoryNotes(),
    governance: memoryGovernance(),
    agents: memoryAgents(),
    events: memoryEvents(),
    users: memoryUsers(),
  };

  /** A port whose every method opens the store first. */
  function port<K extends keyof typeof empty>(name: K, methods: Methods<SqlStore[K]>): SqlStore[K];
  function port<K extends Exclude<keyof SqlStore, keyof typeof empty>>(
    name: K,
    methods: Methods<SqlStore[K], "opens">,
  ): SqlStore[K];
  function port(name: keyof SqlStore, methods: Methods<object>): unknown {
    const lazy = Object.entries(methods).map(([method, access]) => [
      method,
      async (...given: readonly unknown[]) => {
        const stores: Partial<SqlStore> = access === READS && isNew() ? empty : await open();
        const target = stores[name] as { readonly [method: string]: (...given: readonly unknown[]) => unknown };
        return target[method]?.(...given);
      },
    ]);
    return Object.fromEntries(lazy);
  }

  const governance = port("governance", { append: OPENS, head: READS, read: READS, search: READS });
  return {
    instructions: port("instructions", { read: READS, write: OPENS, version: READS }),
    memory: port("memory", { save: OPENS, search: READS, remove: READS }),
    governance: { ...governance, witness: heads === undefined ? undefined : headsInFile(heads) },
    agents: port("agents", { read: READS, put: OPENS, version: READS, list: READS }),
    events: port("events", {
      ...{ append: OPENS, keepSections: OPENS, read: READS, follow: READS, find: READS, findDecision: READS },
      ...{ histories: READS, count: READS, head: READS, session: READS, sessions: READS, agents: READS },
      ...{ contractUse: READS, figures: READS, unanswered: READS, readSections: READS },
      ...{ deleteSession: READS, expire: READS, rebuild: READS },
    }),
    users: port("users", {
      ...{ add: OPENS, change: OPENS, addKey: OPENS, takeKey: OPENS },
      ...{ read: READS, byTelegram: READS, list: READS, readKey: READS, keysOf: READS },
    }),
    conversations: port("conversations", {
      ...{ create: OPENS, read: OPENS, at: OPENS, list: OPENS, append: OPENS, transcript: OPENS, addTurn: OPENS },
      ...{ updateTurn: OPENS, turn: OPENS, turns: OPENS, openTurns: OPENS, remove: OPENS },
    }),
    schedules: port("schedules", {
      ...{ add: OPENS, change: OPENS, read: OPENS, list: OPENS, remove: OPENS },
      ...{ begin: OPENS, end: OPENS, unfinished: OPENS, runs: OPENS },
    }),
    replies: port("replies", { claim: OPENS, keep: OPENS, drop: OPENS, expire: OPENS }),
    sessions: port("sessions", {
      ...{ load: OPENS, setAside: OPENS, save: OPENS, append: OPENS, lease: OPENS, renew: OPENS },
      ...{ release: OPENS, remove: OPENS, expire: OPENS },
    }),
    keys: port("keys", { seal: OPENS, journal: OPENS, status: OPENS }),
    async close() {
      closed = true;
      const store = await opening?.catch(() => undefined);
      opening = undefined;
      await store?.close();
    },
  };
}

function folderGone(): StoreError {
  const what = "The folder of the store was removed while it was in use";
  return new StoreError("STORE_GONE", what, "Put it back, or start again to begin with an empty one.");
}
