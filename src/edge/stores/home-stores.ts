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

/** What writes users; all else reads them. */
const USERS_WRITTEN: ReadonlySet<string> = new Set<keyof UsersStore>(["add", "change", "addKey", "takeKey"]);

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
  const source = async () => (isNew() ? empty : open());

  return {
    instructions: {
      read: async (owner) => (await source()).instructions.read(owner),
      write: async (owner, after, next) => (await open()).instructions.write(owner, after, next),
      version: async (owner, version) => (await source()).instructions.version(owner, version),
    },
    memory: {
      save: async (owner, note) => (await open()).memory.save(owner, note),
      search: async (owner, query) => (await source()).memory.search(owner, query),
      remove: async (owner, id) => (await source()).memory.remove(owner, id),
    },
    governance: {
      ...(heads === undefined ? {} : { witness: headsInFile(heads) }),
      append: async (after, drafts) => (await open()).governance.append(after, drafts),
      head: async () => (await source()).governance.head(),
      read: async (query) => (await source()).governance.read(query),
      search: async (query) => (await source()).governance.search(query),
    },
    agents: {
      read: async (name) => (await source()).agents.read(name),
      put: async (name, after, next) => (await open()).agents.put(name, after, next),
      version: async (name, version) => (await source()).agents.version(name, version),
      list: async () => (await source()).agents.list(),
    },
    events: lazily(
      async (method) => (await (method === "append" || method === "keepSections" ? open() : source())).events,
    ),
    users: lazily(async (method) => (await (USERS_WRITTEN.has(method) ? open() : source())).users),
    conversations: lazily(async () => (await open()).conversations),
    schedules: lazily(async () => (await open()).schedules),
    replies: lazily(async () => (await open()).replies),
    sessions: lazily(async () => (await open()).sessions),
    keys: lazily(async () => (await open()).keys),
    async close() {
      closed = true;
      const store = await opening?.catch(() => undefined);
      opening = undefined;
      await store?.close();
    },
  };
}

/** A port whose every method waits until it is there; all methods of a store return promises. */
function lazily<T extends object>(open: (method: string) => Promise<T>): T {
  return new Proxy({} as T, {
    get:
      (_, name) =>
      async (...given: readonly unknown[]): Promise<unknown> => {
        const port = await open(String(name));
        const method: unknown = Reflect.get(port, name);
        if (typeof method !== "function") throw new TypeError(`the store has no ${String(name)}`);
        return Reflect.apply(method, port, given);
      },
  });
}

function folderGone(): StoreError {
  const what = "The folder of the store was removed while it was in use";
  return new StoreError("STORE_GONE", what, "Put it back, or start again to begin with an empty one.");
}
