import type { BigIntStats } from "node:fs";

/** Some file systems have a time resolution of two seconds. */
const COARSEST_MS = 2_000;

/** Changes whenever the file does, once `isSettled` is true. */
export function stampOf({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mode, mtimeNs, ctimeNs].join(":");
}

/** Would a change after `at` (the time of the check) alter the stamp? Not while the last change is too recent. */
export function isSettled({ mtimeMs, ctimeMs }: BigIntStats, at: number): boolean {
  return at - Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs) > COARSEST_MS;
}
