import { sql } from "kysely";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Json } from "../../../base/words/json.ts";
import { contractTold } from "../../../engine/journal/session-summary.ts";
import { eventWords, governanceWords } from "../search-words.ts";
import type { SqlDatabase, SqlKind } from "./tables.ts";
import { type Indexed, type WordsOf, wordIndex } from "./word-index.ts";

const PAGE = 500;

/** Puts the words of all rows up to one into the index, in parts; gives how many rows there were. */
export async function fillWords(db: SqlDatabase, kind: SqlKind, of: WordsOf, until?: number): Promise<number> {
  const index = wordIndex(kind, of);
  let filled = 0;
  for (let after = 0; ; ) {
    const rows = await pageOf(db, of, after, until);
    await index.fill(db, rows);
    filled += rows.length;
    after = rows.at(-1)?.row ?? after;
    if (rows.length < PAGE) return filled;
  }
}

async function pageOf(
  db: SqlDatabase,
  of: WordsOf,
  after: number,
  until: number | undefined,
): Promise<readonly Indexed[]> {
  if (of === "governance") {
    const some = db.selectFrom("conduct_governance").select(["seq", "by", "kind", "body"]);
    const rows = await some
      .where("seq", ">", after)
      .$if(until !== undefined, (upTo) => upTo.where("seq", "<=", until ?? 0))
      .orderBy("seq")
      .limit(PAGE)
      .execute();
    return rows.map(({ seq, by, kind, body }) => ({
      row: seq,
      words: governanceWords({ by, kind, body: read(body) }),
    }));
  }
  const some = db.selectFrom("conduct_events").select(["position", "event"]);
  const within = some
    .where("position", ">", after)
    .$if(until !== undefined, (upTo) => upTo.where("position", "<=", until ?? 0));
  const rows = await within.orderBy("position").limit(PAGE).execute();
  return rows.map(({ position, event }) => ({ row: position, words: eventWords(read(event) as ConductEvent) }));
}

/** Says of every prompt that is kept which contract it told. */
export async function fillContracts(db: SqlDatabase): Promise<void> {
  for (let after = 0; ; ) {
    const prompts = db
      .selectFrom("conduct_events")
      .select(["position", "event", "contract"])
      .where("type", "=", "prompt");
    const rows = await prompts.where("position", ">", after).orderBy("position").limit(PAGE).execute();
    for (const { position, event, contract } of rows) {
      const told = contractTold(read(event) as ConductEvent) ?? null;
      if (told === contract) continue;
      await sql`update conduct_events set contract = ${told} where position = ${position}`.execute(db);
    }
    after = rows.at(-1)?.position ?? after;
    if (rows.length < PAGE) return;
  }
}

/** What is damaged is found by its words all the same: who opens the store is told elsewhere. */
function read(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return [text];
  }
}
