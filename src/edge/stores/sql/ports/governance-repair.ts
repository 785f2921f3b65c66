import { sql } from "kysely";
import { canonicalJson } from "../../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { GovernanceEntry } from "../../../../base/ports/stores/governance.ts";
import type {
  FoundJournal,
  GovernanceRepair,
  JournalReplacement,
} from "../../../../base/ports/stores/governance-repair.ts";
import { CHAIN_START } from "../../../../engine/journal/governance-chain.ts";
import { replaceHeads, storedHeads } from "../../files/governance-heads.ts";
import { governanceWords } from "../../search-words.ts";
import { GOVERNANCE } from "../migrations.ts";
import { dropWords, makeWords, wordIndex } from "../search/word-index.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { chunks } from "../values.ts";
import { sqlGovernance } from "./governance.ts";

const EVIDENCE = "conduct_governance_damaged";
const PAGE = 1_000;

/** Repairs the journal of a database. `heads` is the file with its heads. */
export function sqlGovernanceRepair(db: SqlDatabase, kind: SqlKind, heads: string | undefined): GovernanceRepair {
  return {
    async find() {
      return { entries: await allEntries(db, kind), ...headsIn(heads) };
    },
    replace: (replacement) =>
      db.transaction().execute(async (trx) => {
        await restoreGovernance(trx, kind);
        if (kind === "postgres") await sql`lock table conduct_governance in exclusive mode`.execute(trx);
        await checkUnchanged(trx, kind, replacement);
        await setAside(trx, kind, replacement);
        await writeEntries(trx, kind, replacement.entries);
        // Before the commit: if we are killed in between, the heads name missing entries and the damage stays visible.
        const aside = `${heads}.${replacement.repair}`;
        const had = heads !== undefined && replaceHeads(heads, replacement.heads, aside);
        return { table: replacement.aside.length === 0 ? undefined : EVIDENCE, headsFile: had ? aside : undefined };
      }),
  };
}

async function allEntries(db: SqlDatabase, kind: SqlKind): Promise<readonly GovernanceEntry[]> {
  const journal = sqlGovernance(db, kind);
  const all: GovernanceEntry[] = [];
  for (let from: number | undefined = 1; from !== undefined; ) {
    const page: Awaited<ReturnType<typeof journal.read>> = await journal.read({ from, limit: PAGE });
    all.push(...page.entries);
    from = page.next;
  }
  return all;
}

function headsIn(file: string | undefined): Pick<FoundJournal, "heads" | "headsFault"> {
  try {
    return { heads: file === undefined ? new Map() : storedHeads(file) };
  } catch (error) {
    return { heads: new Map(), headsFault: errorText(error) };
  }
}

/** Rejects if the journal has changed since the operator looked at it. */
async function checkUnchanged(trx: SqlDatabase, kind: SqlKind, { keep, aside }: JournalReplacement): Promise<void> {
  const now = await allEntries(trx, kind);
  const kept = keep.seq === CHAIN_START.seq ? CHAIN_START : now.find(({ seq }) => seq === keep.seq);
  const tail = now.filter(({ seq }) => seq > keep.seq);
  if (kept?.hash === keep.hash && JSON.stringify(tail) === JSON.stringify(aside)) return;
  throw new Error("the governance journal changed meanwhile, so nothing was repaired: run the command again");
}

async function setAside(trx: SqlDatabase, kind: SqlKind, { repair, keep, aside }: JournalReplacement): Promise<void> {
  if (aside.length === 0) return;
  await sql`insert into ${sql.table(EVIDENCE)} (repair, seq, at, "by", kind, body, prev, hash)
    select ${repair}, seq, at, "by", kind, body, prev, hash from conduct_governance where seq > ${keep.seq}`.execute(
    trx,
  );
  await trx.deleteFrom("conduct_governance").where("seq", ">", keep.seq).execute();
  // The index itself may be damaged; `conduct journal rebuild` recreates it.
  if (kind === "sqlite")
    await sql`delete from conduct_governance_words where rowid > ${keep.seq}`.execute(trx).catch(() => undefined);
}

async function writeEntries(trx: SqlDatabase, kind: SqlKind, entries: readonly GovernanceEntry[]): Promise<void> {
  const index = wordIndex(kind, "governance");
  for (const some of chunks(entries)) {
    const found = some.map((entry) => ({ row: entry.seq, words: governanceWords(entry) }));
    const rows = some.map((entry, at) => ({
      ...entry,
      body: canonicalJson(entry.body),
      ...index.columns(found[at]?.words ?? []),
    }));
    await trx.insertInto("conduct_governance").values(rows).execute();
    await index.add(trx, found).catch(() => undefined);
  }
}

/** Creates the table and its index of words again in a store that has lost them. */
async function restoreGovernance(db: SqlDatabase, kind: SqlKind): Promise<void> {
  const look =
    kind === "sqlite"
      ? sql`select 1 as found from sqlite_master where type = 'table' and name = 'conduct_governance'`
      : sql`select 1 as found where to_regclass('conduct_governance') is not null`;
  if ((await look.execute(db)).rows.length > 0) return;
  for (const statement of GOVERNANCE) await sql.raw(statement).execute(db);
  if (kind === "postgres") await sql`alter table conduct_governance add column words tsvector`.execute(db);
  await dropWords(db, kind, "governance");
  await makeWords(db, kind, "governance");
}
