import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isPaused } from "../daemon/paused.ts";

/** Whether a call runs or is blocked if Conduct itself fails. */
export type FailureRule = "pass" | "block";

/** Timeout of a hook where nothing may be blocked. A stop may run the project's tests. */
export const WATCHED_ANSWER_MS = 5_000;
export const WATCHED_STOP_MS = 30_000;

/**
 * Calls pass only if the operator paused Conduct or the runtime is only watched. Read again at every failure. Imports
 * only Node's own modules, because every hook loads this file.
 */
export function failureRule(home: string, runtime: string): FailureRule {
  return isPaused(home) || isWatched(home, runtime) ? "pass" : "block";
}

/** Is the runtime in shadow? Defaults to enforced if `runtimes.json` is missing, damaged or writable by others. */
export function isWatched(home: string, runtime: string): boolean {
  const file = join(home, "runtimes.json");
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || (found.mode & 0o022) !== 0) return false;
    const runtimes: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof runtimes !== "object" || runtimes === null || !Object.hasOwn(runtimes, runtime)) return false;
    const settings: unknown = (runtimes as { readonly [name: string]: unknown })[runtime];
    return (
      typeof settings === "object" &&
      settings !== null &&
      "enforcement" in settings &&
      settings.enforcement === "shadow"
    );
  } catch {
    return false;
  }
}
