import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Conduct does nothing until then. Times are milliseconds since the epoch. */
export type Pause = { readonly until: number; readonly at: number; readonly by: string };

/** No pause is longer: one that was forgotten must not last for ever. */
export const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** Has the operator paused Conduct? Cheap, because it is asked at every moment. */
export function isPaused(home: string, now: number = Date.now()): boolean {
  return readPause(home, now) !== undefined;
}

/** The pause that holds now. A file that cannot be relied on is none: then everything is enforced. */
export function readPause(home: string, now: number = Date.now()): Pause | undefined {
  const file = pauseFile(home);
  const pause = isOwn(file) ? parse(file) : undefined;
  return pause !== undefined && now < pause.until && pause.until - now <= LONGEST_PAUSE_MS ? pause : undefined;
}

/** Is it a plain file that nobody else may write? */
function isOwn(file: string): boolean {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || (found.mode & 0o022) !== 0) return false;
    const mine = process.getuid?.();
    return mine === undefined || found.uid === mine || found.uid === 0;
  } catch {
    return false;
  }
}

export function pauseFile(home: string): string {
  return join(home, "paused");
}

function parse(file: string): Pause | undefined {
  try {
    const pause: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof pause !== "object" || pause === null || !("until" in pause)) return undefined;
    const { until } = pause;
    const at = "at" in pause ? pause.at : undefined;
    const by = "by" in pause ? pause.by : undefined;
    return typeof until === "number" && typeof at === "number" && typeof by === "string"
      ? { until, at, by }
      : undefined;
  } catch {
    return undefined;
  }
}
