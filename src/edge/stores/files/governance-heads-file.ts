import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { GovernanceHead } from "../../../base/ports/stores/governance.ts";
import { readHeadLines } from "./governance-heads.ts";

/** All stored heads by sequence number; the later line wins. Rejects if the file is damaged. */
export async function storedHeads(file: string): Promise<ReadonlyMap<number, string>> {
  const text = (await readOrNothing(file)) ?? "";
  return new Map(readHeadLines(text, file).map(({ seq, hash }) => [seq, hash]));
}

/** Replaces the file atomically and saves the old one as `aside`. Returns false if there was no old one. */
export async function replaceHeads(file: string, heads: readonly GovernanceHead[], aside: string): Promise<boolean> {
  const before = await readOrNothing(file);
  if (before !== undefined) await writeSynced(aside, before);
  const draft = `${file}.new`;
  await writeSynced(draft, heads.map(lineOf).join(""));
  await rename(draft, file);
  await syncFolder(dirname(file));
  return before !== undefined;
}

/** Appends lines. They are on disk when it resolves. */
export async function appendHeads(file: string, heads: readonly GovernanceHead[]): Promise<void> {
  if (heads.length === 0) return;
  const handle = await open(file, "a+", 0o600);
  try {
    const { size } = await handle.stat();
    // Removes a line that a crash cut off.
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

async function readOrNothing(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "latin1");
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
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

/** A rename is durable once its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.datasync().finally(() => handle.close());
  } catch {
    // Windows cannot sync a folder.
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
