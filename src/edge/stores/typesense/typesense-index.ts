import type { Client } from "typesense";
import { errorText } from "../../../base/kernel/error-text.ts";
import { loadOptional } from "../../../base/kernel/optional-package.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import { CHAIN_START } from "../../../engine/journal/governance-chain.ts";
import { StoreError } from "../sql/store-error.ts";
import type { HistoryDocument, HistoryIndex, HistoryQuery } from "./history-index.ts";

export type TypesensePlace = { readonly url: string; readonly key: string };

/** The client itself sets no timeout for imports. */
const LIMIT_S = 30;
/** The server's limit. */
const MAX_HITS = 250;
const HISTORY = "conduct_history";
const POSITIONS = "conduct_positions";
const POSITION = "governance";

const FIELDS = [
  { name: "seq", type: "int64" as const },
  { name: "at", type: "int64" as const },
  { name: "by", type: "string" as const },
  { name: "kind", type: "string" as const, facet: true },
  { name: "change", type: "string" as const, facet: true },
  { name: "text", type: "string" as const },
];

type Position = { readonly id: string; readonly seq: number; readonly head: string };

/**
 * The governance history in a Typesense (see README.md for the tested version). Connects with the first use; throws if
 * the URL or key is invalid.
 */
export function typesenseIndex({ url, key }: TypesensePlace, journal?: Pick<GovernanceJournal, "read">): HistoryIndex {
  const node = checkPlace(url, key);
  let opening: Promise<Client> | undefined;
  let names: Names | undefined;

  async function use<T>(work: (client: Client, names: Names) => Promise<T>): Promise<T> {
    try {
      opening ??= open(node, key);
      const client = await opening;
      const own = names ?? (await namesFor(journal));
      // An empty journal has no name of its own yet.
      if (own.isFinal) names = own;
      return await inTime(work(client, own));
    } catch (error) {
      throw unavailable(error);
    }
  }

  return {
    position: () =>
      use(async (client, { positions }) => {
        const kept = await orMissing(client.collections<Position>(positions).documents(POSITION).retrieve());
        return kept === undefined ? CHAIN_START : { seq: kept.seq, hash: kept.head };
      }),
    put: (documents, { seq, hash }) =>
      use(async (client, { history, positions }) => {
        await ensure(client, { history, positions });
        const rows = documents.map((document) => ({ ...document, id: String(document.seq) }));
        if (rows.length > 0) await client.collections(history).documents().import(rows, { action: "upsert" });
        // Last, so that a failure repeats entries instead of skipping them.
        const position: Position = { id: POSITION, seq, head: hash };
        await client.collections<Position>(positions).documents().upsert(position);
      }),
    clear: () =>
      use(async (client, { history, positions }) => {
        // The position first, so that an interrupted clear is noticed.
        for (const name of [positions, history]) await orMissing(client.collections(name).delete());
      }),
    search: (query) => use((client, { history }) => search(client, history, query)),
  };
}

type Names = { readonly history: string; readonly positions: string; readonly isFinal: boolean };

/**
 * Collections named after the journal's first entry: several stores can share a server, and a restored journal finds its
 * own again.
 */
async function namesFor(journal: Pick<GovernanceJournal, "read"> | undefined): Promise<Names> {
  if (journal === undefined) return { history: HISTORY, positions: POSITIONS, isFinal: true };
  const [first] = (await journal.read({ from: 1, to: 1, limit: 1 })).entries;
  const id = first?.hash.slice(0, 16) ?? "empty";
  return { history: `${HISTORY}_${id}`, positions: `${POSITIONS}_${id}`, isFinal: first !== undefined };
}

/** The index in `CONDUCT_TYPESENSE_URL` and `CONDUCT_TYPESENSE_KEY`, if that is set. */
export function openHistoryIndex(
  env: NodeJS.ProcessEnv,
  journal: Pick<GovernanceJournal, "read">,
): HistoryIndex | undefined {
  const url = env.CONDUCT_TYPESENSE_URL?.trim() ?? "";
  return url === "" ? undefined : typesenseIndex({ url, key: env.CONDUCT_TYPESENSE_KEY?.trim() ?? "" }, journal);
}

async function search(client: Client, history: string, { text, kind, limit }: HistoryQuery) {
  const documents = client.collections<HistoryDocument>(history).documents();
  // Rejects without the collection: an index that was never filled must not answer "nothing found".
  const answer = await documents.search({
    q: wordsOf(text),
    query_by: "text,by,change",
    sort_by: "_text_match:desc,seq:desc",
    per_page: Math.min(limit, MAX_HITS),
    // The same answer as a search of the journal: no row that lacks a word, and none with a similar word.
    num_typos: "0",
    drop_tokens_threshold: 0,
    // By default the last word is completed to four words only.
    max_candidates: 10_000,
    filter_by: kind && `kind:=${kind}`,
  });
  const found = (answer.hits ?? []).map(({ document }) => {
    const { seq, at, by, kind: found, change, text: words } = document;
    return { seq, at, by, kind: found, change, text: words };
  });
  return { total: answer.found, found };
}

/** The text without the server's operators: a leading hyphen excludes a word, and quotes make a phrase. */
function wordsOf(text: string): string {
  const words = text
    .replaceAll('"', " ")
    .replaceAll(/(^|\s)-+/g, "$1")
    .trim();
  return words === "" ? "*" : words;
}

async function ensure(client: Client, names: Pick<Names, "history" | "positions">): Promise<void> {
  const positions = [
    { name: "seq", type: "int64" as const },
    { name: "head", type: "string" as const, index: false, optional: true },
  ];
  for (const { name, fields } of [
    { name: names.history, fields: FIELDS },
    { name: names.positions, fields: positions },
  ]) {
    const known = await orMissing(client.collections(name).retrieve());
    if (known === undefined) await client.collections().create({ name, fields }).catch(unlessThere);
  }
}

/** Another process created it first. */
function unlessThere(error: unknown): void {
  if (statusOf(error) !== 409) throw error;
}

async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

function statusOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "httpStatus" in error ? error.httpStatus : undefined;
}

async function open(url: string, apiKey: string): Promise<Client> {
  const { Client } = await loadOptional("typesense", "CONDUCT_TYPESENSE_URL", () => import("typesense"));
  // The follower retries.
  return new Client({ nodes: [{ url }], apiKey, connectionTimeoutSeconds: 5, numRetries: 0, logLevel: "silent" });
}

function checkPlace(url: string, key: string): string {
  if (/^https?:\/\/[^/]/.test(url) && URL.canParse(url) && key.trim() !== "") {
    return url.replace(/\/+$/, "");
  }
  throw new StoreError(
    "STORE_UNAVAILABLE",
    "CONDUCT_TYPESENSE_URL and CONDUCT_TYPESENSE_KEY are not the URL and API key of a Typesense server",
    "Write them as http://host:8108 and an API key, or unset both: history search works without Typesense.",
  );
}

function unavailable(error: unknown): StoreError {
  const fix = "Nothing is lost: the index catches up when it can be reached. Check CONDUCT_TYPESENSE_URL and its key.";
  return new StoreError("STORE_UNAVAILABLE", `The Typesense index could not be used (${errorText(error)})`, fix, error);
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${LIMIT_S} s`)), LIMIT_S * 1_000).unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
