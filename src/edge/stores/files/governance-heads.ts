import { basename, resolve } from "node:path";
import type { GovernanceHead, GovernanceJournal, HeadWitness } from "../../../base/ports/governance.ts";
import type { StorePlace } from "../sql/open-database.ts";

/** Not imported: that would load all that `node:fs` has. */
const { closeSync, fstatSync, openSync, readSync, statSync } = process.getBuiltinModule("node:fs");

/** Two processes may write their lines in another order than their entries, so the newest is looked for among the last lines. */
const TAIL_BYTES = 8_192;
const LINE = /^(\d{1,10}):([0-9a-f]{64})$/;

/** The file with the heads of a store's governance journal; `undefined` where there is no place for one. */
export function headsFileOf(place: StorePlace): string | undefined {
  return place.heads ?? (place.kind === "sqlite" ? `${resolve(place.file)}.heads` : undefined);
}

/**
 * Heads in a file: one line `SEQ:HASH` for each entry, in the order in which they were written. A last line without its end was cut
 * off by a crash and counts for nothing; any other line that cannot be read means that the file was damaged.
 */
export function headsInFile(file: string): HeadWitness {
  /** It is asked for in every turn, and read again only when the file is another one. */
  let known: { readonly stamp: string; readonly head: GovernanceHead | undefined } | undefined;
  return {
    async newest() {
      const found = statSync(file, { throwIfNoEntry: false, bigint: true });
      const stamp = found === undefined ? "" : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":");
      if (known?.stamp === stamp) return known.head;
      const heads = found === undefined ? [] : readHeadLines(tailOf(file), file);
      const head = heads.reduce<GovernanceHead | undefined>(
        (last, one) => (one.seq >= (last?.seq ?? 0) ? one : last),
        undefined,
      );
      known = { stamp, head };
      return head;
    },
    async add(heads) {
      const { appendHeads } = await import("./governance-heads-file.ts");
      // Without it a cut-off is noticed only up to the last line: no reason to refuse what is written already.
      await appendHeads(file, heads).catch(() => undefined);
    },
  };
}

/** The same journal; every entry's head is stored as soon as it is written, and nothing is written after a head that is missing. */
export function witnessed(journal: GovernanceJournal, witness: HeadWitness): GovernanceJournal {
  return {
    ...journal,
    witness,
    async append(after, drafts) {
      const stored = await witness.newest();
      if (stored !== undefined && stored.seq > after && (await journal.head()).seq < stored.seq)
        throw await cutOff(stored.seq);
      const appended = await journal.append(after, drafts);
      if (appended !== "moved") await witness.add(appended.entries);
      return appended;
    },
  };
}

async function cutOff(seq: number): Promise<Error> {
  const { StoreError } = await import("../sql/store-error.ts");
  const what = `Nothing was written: the governance journal ends before entry ${seq}, which was written earlier`;
  return new StoreError(
    "STORE_DAMAGED",
    what,
    "Look at it with: conduct journal verify. Repair it with: conduct journal repair.",
  );
}

/** The heads in a text that ends with a whole line. Throws when a line is none. */
export function readHeadLines(text: string, file: string): readonly GovernanceHead[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, seq, hash] = LINE.exec(line) ?? [];
      if (seq === undefined || hash === undefined) throw unreadable(file, "a line in it is no head");
      return { seq: Number(seq), hash };
    });
}

/** The end of the file from the start of a line on. */
function tailOf(file: string): string {
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    const from = Math.max(0, size - TAIL_BYTES);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const text = buffer.toString("latin1", 0, readSync(handle, buffer, 0, buffer.length, from));
    return from === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } finally {
    closeSync(handle);
  }
}

function unreadable(file: string, why: string): Error {
  return new Error(
    `the heads of the governance journal in ${basename(file)} cannot be read (${why}). Store them again with: conduct journal repair`,
  );
}
