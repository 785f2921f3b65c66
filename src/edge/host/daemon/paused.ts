import { lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isSignature, readSwitchKey, sign, switchKey } from "../switch/switch-key.ts";
import { replaceFile } from "../workspace/own-files.ts";

/** Conduct enforces nothing until `until`. Times are milliseconds since the epoch. */
export type Pause = {
  readonly until: number;
  readonly at: number;
  readonly by: string;
  /** Evidence that a person asked for it: "typed a code at pts/3 under sshd", "signed in to the console". */
  readonly proof: string;
};

/** State of the pause file. `forged`: not written by `conduct pause` or the console, so it has no effect. */
type PauseFile =
  | { readonly kind: "none" }
  | { readonly kind: "pause"; readonly pause: Pause }
  | { readonly kind: "forged"; readonly why: string };

/** Upper limit, so a forgotten pause always expires. */
export const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** Has the operator paused Conduct? Cheap, because it is checked at every moment. */
export function isPaused(home: string, now: number = Date.now()): boolean {
  return readPause(home, now) !== undefined;
}

/** The pause in force now. An untrustworthy file counts as no pause, so everything is enforced. */
export function readPause(home: string, now: number = Date.now()): Pause | undefined {
  const found = readPauseFile(home, now);
  return found.kind === "pause" ? found.pause : undefined;
}

/** Returns `none` for an expired pause. */
export function readPauseFile(home: string, now: number = Date.now()): PauseFile {
  const file = pauseFile(home);
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return { kind: "none" };
    const mine = process.getuid?.();
    const isOwn = mine === undefined || found.uid === mine || found.uid === 0;
    if (!found.isFile() || (found.mode & 0o022) !== 0 || !isOwn) {
      return forged("it is not a plain file that only this account can write");
    }
    const pause = parse(readFileSync(file, "utf8"));
    if (pause === undefined) return forged("its content is not a pause");
    const key = readSwitchKey(home);
    if (key === undefined || !isSignature(key, pauseText(pause), pause.signature)) {
      return forged("its signature is missing or wrong");
    }
    if (pause.until - now > LONGEST_PAUSE_MS) return forged("it is longer than the longest allowed pause");
    const { signature: _, ...plain } = pause;
    return now < pause.until ? { kind: "pause", pause: plain } : { kind: "none" };
  } catch {
    return forged("it cannot be read");
  }
}

function pauseFile(home: string): string {
  return join(home, "paused");
}

function pauseText({ at, until, by, proof }: Pause): string {
  return JSON.stringify(["pause", at, until, by, proof]);
}

function forged(why: string): PauseFile {
  return { kind: "forged", why };
}

function parse(text: string): (Pause & { readonly signature: unknown }) | undefined {
  const pause: unknown = JSON.parse(text);
  if (typeof pause !== "object" || pause === null) return undefined;
  const { until, at, by, proof, signature } = pause as { readonly [key: string]: unknown };
  if (typeof until !== "number" || typeof at !== "number") return undefined;
  return typeof by === "string" && typeof proof === "string" ? { until, at, by, proof, signature } : undefined;
}

/** Writes a signed pause atomically: readers see the old file or the new one, never a part. */
export function writePause(home: string, pause: Pause): void {
  const signed = { ...pause, signature: sign(switchKey(home), pauseText(pause)) };
  replaceFile(pauseFile(home), `${JSON.stringify(signed)}\n`);
}

export function endPause(home: string): void {
  rmSync(pauseFile(home), { force: true, recursive: true });
}
