import { errorText } from "../../../base/kernel/error-text.ts";
import type { AdherenceStore } from "../../../base/ports/stores/adherence.ts";
import type { ContractsTold, EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceDraft, GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { GovernanceRepair } from "../../../base/ports/stores/governance-repair.ts";
import type { HotContract } from "../../../base/ports/stores/hot-contract.ts";
import { headsFileOf, headsInFile } from "../../stores/files/governance-heads.ts";
import type { StorePlace } from "../../stores/sql/open-database.ts";
import type { SqlStore } from "../../stores/sql/sql-store.ts";

/** Retries if another writer appends first. */
const TRIES = 20;

/**
 * Appends an entry to the governance journal. Never rejects: returns the reason if the write failed, else `undefined`.
 */
export async function journalDraft(
  world: { open(access: "write"): Promise<OpenGovernance> },
  draft: GovernanceDraft,
): Promise<string | undefined> {
  try {
    const { journal, close } = await world.open("write");
    try {
      for (let tries = 0; tries < TRIES; tries++) {
        if ((await journal.append((await journal.head()).seq, [draft])) !== "moved") return undefined;
      }
      return "other processes kept writing to it";
    } finally {
      await close();
    }
  } catch (error) {
    return errorText(error);
  }
}

export type OpenGovernance = {
  readonly journal: GovernanceJournal;
  /** Cache of the current contract; every writer updates it. */
  readonly hot?: HotContract;
  /** Session events and their search indexes; only if the whole store was opened. */
  readonly events?: EventJournal;
  readonly adherence?: AdherenceStore;
  readonly rebuildSearch?: SqlStore["rebuildSearch"];
  readonly repair?: () => Promise<GovernanceRepair>;
  /** Prompts that contained a contract; absent if unknown. */
  readonly told?: ContractsTold;
  close(): Promise<void>;
};

/**
 * Opens the governance journal of a store. `read` loads as little as possible and never creates a store; `write`
 * creates one. Rejects with a `StoreError` that says what to do.
 */
export async function openGovernance(
  place: StorePlace,
  access: "read" | "write",
  redisUrl?: string,
): Promise<OpenGovernance> {
  if (access === "read" && place.kind === "sqlite") {
    const { sqliteGovernanceReader } = await import("../../stores/sql/readers/sqlite-governance-reader.ts");
    const { journal, told, close } = await sqliteGovernanceReader(place.file);
    const heads = headsFileOf(place);
    const witness = heads === undefined ? undefined : headsInFile(heads);
    return { journal: { ...journal, witness, append: refuseToWrite }, told, close: async () => close() };
  }
  const { openSqlStore } = await import("../../stores/sql/open-sql-store.ts");
  const redis = access === "write" && redisUrl ? await import("../../stores/redis/redis-hot-contract.ts") : undefined;
  const hot = redis?.redisHotContract(redisUrl ?? "");
  try {
    const { governance, events, adherence, rebuildSearch, governanceRepair: repair, close } = await openSqlStore(place);
    const closeBoth = async () => void (await Promise.all([close(), hot?.close()]));
    return {
      journal: governance,
      events,
      adherence,
      told: toldIn(events),
      rebuildSearch,
      repair,
      hot,
      close: closeBoth,
    };
  } catch (error) {
    await hot?.close();
    throw error;
  }
}

function toldIn(events: EventJournal): ContractsTold {
  return {
    use: (hash) => events.contractUse(hash),
    prompts: async (hash, limit) => (await events.read({ contract: hash, limit })).events.map(({ event }) => event),
    session: (id) => events.session(id),
  };
}

async function refuseToWrite(): Promise<never> {
  throw new Error("this journal was opened read-only; nothing was written");
}
