import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isMissing } from "./resolve-path.ts";

const WAIT_MS = 20;
const PATIENCE = 500;

/** Another process has the lock and did not release it in time. */
export class LockedError extends Error {
  readonly lock: string;
  constructor(lock: string) {
    super(`another process has the lock ${lock}`);
    this.name = "LockedError";
    this.lock = lock;
  }
}

/** Runs the work under a lock between processes: a file with the owner's process id. */
export async function withFileLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  await take(lock);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<void> {
  const draft = `${lock}.${randomUUID()}`;
  // Linked once complete, so no process sees a lock without its owner.
  await writeFile(draft, String(process.pid), { mode: 0o600, flag: "wx" });
  try {
    for (let tries = 0; tries < PATIENCE; tries++) {
      if (await linked(draft, lock)) return;
      if (await abandoned(lock)) await remove(lock);
      else await sleep(WAIT_MS);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new LockedError(lock);
}

async function linked(draft: string, lock: string): Promise<boolean> {
  try {
    await link(draft, lock);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function abandoned(lock: string): Promise<boolean> {
  const holder = Number(await holderOf(lock));
  if (!Number.isSafeInteger(holder) || holder <= 0) return false;
  try {
    process.kill(holder, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/** Renamed first, so only one of several processes removes it. A new lock caught by mistake is put back. */
async function remove(lock: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  if (!(await abandoned(aside))) await linked(aside, lock);
  await rm(aside, { force: true });
}

async function holderOf(lock: string): Promise<string> {
  try {
    return await readFile(lock, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}
