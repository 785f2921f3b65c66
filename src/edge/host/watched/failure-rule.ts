import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPaused } from "../daemon/paused.ts";

/** Whether a call runs or is blocked if Conduct itself fails. */
type FailureRule = "pass" | "block";

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

/** File with the time of a runtime's last warning. The launcher writes the same file in the same format. */
function warningStamp(home: string, runtime: string): string {
  return join(home, "bin", `.warned-${runtime}`);
}

/**
 * The warning that a watched runtime runs unrecorded, at most once an hour per runtime; otherwise `undefined`. Never
 * throws: if the time cannot be saved, the warning is repeated.
 */
export function warnOnce(home: string, runtime: string, cause: string, now: number = Date.now()): string | undefined {
  // Cursor's hooks cannot show a person a text.
  if (runtime === "cursor") return undefined;
  const stamp = warningStamp(home, runtime);
  const hour = new Date(now).toISOString().slice(0, 13).replace(/\D/g, "");
  if (read(stamp) === hour) return undefined;
  try {
    mkdirSync(join(home, "bin"), { recursive: true, mode: 0o700 });
    writeFileSync(stamp, `${hour}\n`, { mode: 0o600 });
  } catch {
    // If the home is read-only, warn anyway.
  }
  return `Conduct only watches ${runtime}, so nothing is blocked, but this is not recorded: ${cause}. Run: conduct doctor ${runtime}`;
}

function read(stamp: string): string | undefined {
  try {
    return readFileSync(stamp, "utf8").trim();
  } catch {
    return undefined;
  }
}
