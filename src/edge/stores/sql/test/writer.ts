import { writeSync } from "node:fs";
import type { GovernanceEntry, GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import type { StorePlace } from "../open-database.ts";
import { openSqlStore } from "../open-sql-store.ts";
import { StoreError } from "../store-error.ts";

/** A program of its own for tests: `once` adds one append and ends, `forever` adds until it is killed, `open` only opens. */
export const WRITER = import.meta.filename;

/** What it says on a line, when the store has acknowledged: the entries of one append. */
export type Acknowledged = readonly Pick<GovernanceEntry, "seq" | "hash">[];

/** What stands in an entry: the append it belongs to, and its place in it. */
export type Written = { readonly writer: string; readonly batch: number; readonly part: number; readonly of: number };

async function add(journal: GovernanceJournal, writer: string, batch: number): Promise<void> {
  const of = (batch % 3) + 1;
  const drafts = Array.from({ length: of }, (_, at) => {
    const body: Written = { writer, batch, part: at + 1, of };
    return { at: Date.now(), by: writer, kind: "test.written", body };
  });
  for (;;) {
    const done = await journal.append((await journal.head()).seq, drafts);
    if (done === "moved") continue;
    const said: Acknowledged = done.entries.map(({ seq, hash }) => ({ seq, hash }));
    writeSync(1, `${JSON.stringify(said)}\n`);
    return;
  }
}

async function main(place: StorePlace, how: string, writer: string): Promise<void> {
  const store = await openSqlStore(place);
  if (how !== "open") await add(store.governance, writer, 2);
  for (let batch = 3; how === "forever"; batch++) await add(store.governance, writer, batch);
  await store.close();
}

if (process.argv[1] === import.meta.filename) {
  const [place = "", how = "", writer = ""] = process.argv.slice(2);
  await main(JSON.parse(place) as StorePlace, how, writer).catch((error: unknown) => {
    writeSync(2, error instanceof StoreError ? `${error.code} ${error.message}` : String(error));
    process.exitCode = 1;
  });
}
