import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isPaused } from "../daemon/paused.ts";

/** What happens to a call when Conduct itself fails: it runs, or it is blocked. */
export type FailureRule = "pass" | "block";

/** How long a hook waits for the daemon's answer where nothing may be blocked. A stop may run the project's tests. */
export const WATCHED_ANSWER_MS = 5_000;
export const WATCHED_STOP_MS = 30_000;

/**
 * Calls run only where the operator has said so: Conduct is paused, or the runtime is only watched. Read anew at every failure.
 * Loads Node's own modules only: it is on the way of every hook.
 */
export function failureRule(home: string, runtime: string): FailureRule {
  return isPaused(home) || isWatched(home, runtime) ? "pass" : "block";
}

/** Is the runtime in shadow? A `runtimes.json` that is missing, damaged or writable by others means that it is enforced. */
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
