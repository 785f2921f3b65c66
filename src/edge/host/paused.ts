import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || (found.mode & 0o022) !== 0) return undefined;
  const mine = process.getuid?.();
  if (mine !== undefined && found.uid !== mine && found.uid !== 0) return undefined;
  const pause = parse(file);
  return pause !== undefined && now < pause.until && pause.until - now <= LONGEST_PAUSE_MS ? pause : undefined;
}

/** Whole or not at all: who reads it meanwhile sees the old one. */
export function writePause(home: string, pause: Pause): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${pauseFile(home)}.${randomUUID()}.part`;
  try {
    writeFileSync(draft, `${JSON.stringify(pause)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, pauseFile(home));
  } finally {
    rmSync(draft, { force: true });
  }
}

export function endPause(home: string): void {
  rmSync(pauseFile(home), { force: true });
}

function pauseFile(home: string): string {
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
