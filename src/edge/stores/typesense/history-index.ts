import type { GovernanceEntry, GovernanceHead, GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { Json } from "../../../base/words/json.ts";
import { CHAIN_START } from "../../../engine/journal/governance-chain.ts";

const PAGE = 500;

export type Projected = { readonly taken: number; readonly position: GovernanceHead };

/**
 * Indexes the rest of the journal. The index stores its own position, so entries may be sent twice but never get lost,
 * and writers do not wait. The index of another or a restored journal is rebuilt.
 */
export async function projectTo(journal: GovernanceJournal, index: HistoryIndex): Promise<Projected> {
  let position = await index.position();
  if (!(await isOf(journal, position))) {
    await index.clear();
    position = CHAIN_START;
  }
  let taken = 0;
  for (;;) {
    const { entries } = await journal.read({ from: position.seq + 1, limit: PAGE });
    const last = entries.at(-1);
    if (last === undefined) return { taken, position };
    position = headOf(last);
    await index.put(entries.map(toDocument), position);
    taken += entries.length;
  }
}

/** Rebuilds the index from the start. */
export async function rebuildIndex(journal: GovernanceJournal, index: HistoryIndex): Promise<Projected> {
  await index.clear();
  return projectTo(journal, index);
}

async function isOf(journal: GovernanceJournal, { seq, hash }: GovernanceHead): Promise<boolean> {
  if (seq === 0) return true;
  const { entries } = await journal.read({ from: seq, to: seq, limit: 1 });
  return entries[0]?.hash === hash;
}

function headOf({ seq, hash }: GovernanceEntry): GovernanceHead {
  return { seq, hash };
}

const MAX_TEXT = 20_000;

/** The document for an entry, with every text and id in it. */
function toDocument({ seq, at, by, kind, body }: GovernanceEntry): HistoryDocument {
  const text = textsOf(body).join("\n").slice(0, MAX_TEXT).toWellFormed();
  return { seq, at: Math.floor(at), by, kind: kindOf(kind), change: kind, text };
}

function kindOf(change: string): HistoryKind {
  if (/^directives?-/.test(change)) return "directive";
  return /^candidates?-/.test(change) ? "candidate" : "audit";
}

function textsOf(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const EVERY_MS = 2_000;
const LAST_RETRY_MS = 60_000;

/**
 * Keeps an index up to date in the background, with retries. Does not keep the process alive. Returns a function
 * that waits for the current update and starts no other one.
 */
export function followJournal(
  journal: GovernanceJournal,
  index: HistoryIndex,
  everyMs = EVERY_MS,
): () => Promise<void> {
  let failures = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void>;

  async function look(): Promise<void> {
    failures = await projectTo(journal, index).then(
      () => 0,
      () => failures + 1,
    );
    const waitMs = Math.min(everyMs * 2 ** failures, Math.max(everyMs, LAST_RETRY_MS));
    if (!isStopped) timer = setTimeout(next, waitMs).unref();
  }

  function next(): void {
    running = look();
  }

  next();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}

/** `audit`: entries about neither directives nor candidates. */
export type HistoryKind = "directive" | "candidate" | "audit";

/** An entry of the governance journal as a search result. */
export type HistoryDocument = {
  readonly seq: number;
  readonly at: number;
  readonly by: string;
  readonly kind: HistoryKind;
  /** The entry's own kind, such as `directive-added`. */
  readonly change: string;
  /** Every text in the entry, a line each. */
  readonly text: string;
};

export type HistoryQuery = {
  /** Empty finds everything. */
  readonly text: string;
  readonly kind?: HistoryKind;
  readonly limit: number;
};

/** A searchable copy of the journal that knows its position. Rejects if it cannot be reached. */
export type HistoryIndex = {
  /** The last indexed entry, or the start of the chain. */
  position(): Promise<GovernanceHead>;
  /** Upserts the entries by sequence number, then stores the position. */
  put(documents: readonly HistoryDocument[], position: GovernanceHead): Promise<void>;
  /** Deletes everything, including the position. */
  clear(): Promise<void>;
  /** The best match first, and of equals the newest. */
  search(query: HistoryQuery): Promise<{ readonly total: number; readonly found: readonly HistoryDocument[] }>;
};
