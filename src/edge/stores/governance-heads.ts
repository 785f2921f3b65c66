import { statSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { errorText } from "../../base/kernel/error-text.ts";
import type { GovernanceHead, GovernanceJournal, HeadWitness } from "../../base/ports/governance.ts";
import { stampOf } from "../host/file-stamp.ts";
import type { StorePlace } from "./sql/open-database.ts";
import { StoreError } from "./sql/store-error.ts";

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
      const stamp = found === undefined ? "" : stampOf(found);
      if (known?.stamp === stamp) return known.head;
      const heads = readLines(await tailOf(file), file);
      const head = heads.reduce<GovernanceHead | undefined>(
        (last, one) => (one.seq >= (last?.seq ?? 0) ? one : last),
        undefined,
      );
      known = { stamp, head };
      return head;
    },
    async add(heads) {
      // Without it a cut-off is noticed only up to the last line: no reason to refuse what is written already.
      await appendLines(file, heads).catch(() => undefined);
    },
  };
}

/** All stored heads by their sequence; where one was stored twice, the later line. Rejects when the file is damaged. */
export async function storedHeads(file: string): Promise<ReadonlyMap<number, string>> {
  const text = (await readOrNothing(file)) ?? "";
  return new Map(readLines(text, file).map(({ seq, hash }) => [seq, hash]));
}

/** Replaces the heads in the file at once, and keeps the file from before as `aside`. False when there was none. */
export async function replaceHeads(file: string, heads: readonly GovernanceHead[], aside: string): Promise<boolean> {
  const before = await readOrNothing(file);
  if (before !== undefined) await writeSynced(aside, before);
  const draft = `${file}.new`;
  await writeSynced(draft, heads.map(lineOf).join(""));
  await rename(draft, file);
  await syncFolder(dirname(file));
  return before !== undefined;
}

/** The same journal; every entry's head is stored as soon as it is written, and nothing is written after a head that is missing. */
export function witnessed(journal: GovernanceJournal, witness: HeadWitness): GovernanceJournal {
  return {
    ...journal,
    witness,
    async append(after, drafts) {
      const stored = await witness.newest();
      if (stored !== undefined && stored.seq > after && (await journal.head()).seq < stored.seq)
        throw cutOff(stored.seq);
      const appended = await journal.append(after, drafts);
      if (appended !== "moved") await witness.add(appended.entries);
      return appended;
    },
  };
}

function cutOff(seq: number): StoreError {
  const what = `Nothing was written: the governance journal ends before entry ${seq}, which was written earlier`;
  return new StoreError(
    "STORE_DAMAGED",
    what,
    "Look at it with: conduct journal verify. Repair it with: conduct journal repair.",
  );
}

async function appendLines(file: string, heads: readonly GovernanceHead[]): Promise<void> {
  if (heads.length === 0) return;
  const handle = await open(file, "a+", 0o600);
  try {
    const { size } = await handle.stat();
    // A line that was cut off by a crash is ended, so that it does not swallow this one.
    const isCut = size > 0 && (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] !== 0x0a;
    if (isCut) await handle.truncate(await endOfLines(file));
    await handle.appendFile(heads.map(lineOf).join(""));
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function endOfLines(file: string): Promise<number> {
  const bytes = await readFile(file);
  return bytes.lastIndexOf(0x0a) + 1;
}

function lineOf({ seq, hash }: GovernanceHead): string {
  return `${seq}:${hash}\n`;
}

function readLines(text: string, file: string): readonly GovernanceHead[] {
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
async function tailOf(file: string): Promise<string> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, "r");
  } catch (error) {
    if (isAbsent(error)) return "";
    throw unreadable(file, errorText(error));
  }
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size, TAIL_BYTES)), 0, undefined, from);
    const text = buffer.toString("latin1", 0, bytesRead);
    return from === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } finally {
    await handle.close();
  }
}

async function readOrNothing(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "latin1");
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw unreadable(file, errorText(error));
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    await handle.writeFile(text, "latin1");
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** A rename is durable when its folder is; where a folder cannot be synced the system sees to it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.datasync().finally(() => handle.close());
  } catch {
    // Windows has no such thing.
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function unreadable(file: string, why: string): StoreError {
  const what = `the heads of the governance journal in ${basename(file)} cannot be read (${why})`;
  return new StoreError("STORE_DAMAGED", what, "Store them again with: conduct journal repair");
}
