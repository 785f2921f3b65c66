import type { BigIntStats } from "node:fs";

/** Some file systems count time in steps of two seconds. */
const COARSEST_MS = 2_000;

/** Changes whenever the file does, once it has settled. */
export function stampOf({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mode, mtimeNs, ctimeNs].join(":");
}

/** Would a change after `at` (when it was looked at) show in the stamp? Not while the last change is too recent to tell apart. */
export function isSettled({ mtimeMs, ctimeMs }: BigIntStats, at: number): boolean {
  return at - Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs) > COARSEST_MS;
}
