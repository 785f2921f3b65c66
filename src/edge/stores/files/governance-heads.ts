import { basename, dirname, resolve } from "node:path";
import type { GovernanceHead, GovernanceJournal, HeadWitness } from "../../../base/ports/stores/governance.ts";
import { replaceFile, syncFolder } from "../../host/workspace/own-files.ts";
import type { StorePlace } from "../sql/open-database.ts";

/** Not imported, because that would load all of `node:fs`. */
const { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, statSync } =
  process.getBuiltinModule("node:fs");
const { writeSync } = process.getBuiltinModule("node:fs");

/** Two processes may write their lines out of order, so the newest head is searched in the last lines. */
const TAIL_BYTES = 8_192;
const LINE = /^(\d{1,10}):([0-9a-f]{64})$/;

/** The file with the heads of a store's governance journal, if it has one. */
export function headsFileOf(place: StorePlace): string | undefined {
  return place.heads ?? (place.kind === "sqlite" ? `${resolve(place.file)}.heads` : undefined);
}

/**
 * Heads in a file: one line `SEQ:HASH` per entry, in the order of writing. An incomplete last line is ignored, because
 * a crash cut it off; any other unreadable line means that the file is damaged.
 */
export function headsInFile(file: string): HeadWitness {
  /** Every turn asks for the head; the file is read again only if it changed. */
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
      try {
        appendHeads(file, heads);
      } catch {
        // A missing head only delays the detection of a truncated journal.
      }
    },
  };
}

/** Stores the head of every new entry, and rejects an append if the journal lacks a stored head. */
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

/** Parses the whole lines of a text. Throws if a line is not a head. */
function readHeadLines(text: string, file: string): readonly GovernanceHead[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, seq, hash] = LINE.exec(line) ?? [];
      if (seq === undefined || hash === undefined) {
        const why = "a line in it is not a head). Store them again with: conduct journal repair";
        throw new Error(`the heads of the governance journal in ${basename(file)} cannot be read (${why}`);
      }
      return { seq: Number(seq), hash };
    });
}

/** The end of the file, beginning with a whole line. */
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

/** All stored heads by sequence number; the later line wins. Throws if the file is damaged. */
export function storedHeads(file: string): ReadonlyMap<number, string> {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return new Map();
  return new Map(readHeadLines(readFileSync(file, "latin1"), file).map(({ seq, hash }) => [seq, hash]));
}

/** Replaces the file atomically and saves the old one as `aside`. Returns false if there was no old one. */
export function replaceHeads(file: string, heads: readonly GovernanceHead[], aside: string): boolean {
  const had = statSync(file, { throwIfNoEntry: false }) !== undefined;
  if (had) replaceFile(aside, readFileSync(file), "durable");
  replaceFile(file, heads.map(lineOf).join(""), "durable");
  syncFolder(dirname(file));
  return had;
}

/** Appends lines, durably. Removes a line that a crash cut off. */
function appendHeads(file: string, heads: readonly GovernanceHead[]): void {
  if (heads.length === 0) return;
  const handle = openSync(file, "a+", 0o600);
  try {
    const isCut = fstatSync(handle).size > 0 && !tailOf(file).endsWith("\n");
    if (isCut) ftruncateSync(handle, readFileSync(file).lastIndexOf(0x0a) + 1);
    writeSync(handle, heads.map(lineOf).join(""));
    fdatasyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function lineOf({ seq, hash }: GovernanceHead): string {
  return `${seq}:${hash}\n`;
}
