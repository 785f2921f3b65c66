import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSignature, readSwitchKey } from "../switch/switch-key.ts";

/** Conduct enforces nothing until `until`. Times are milliseconds since the epoch. */
export type Pause = {
  readonly until: number;
  readonly at: number;
  readonly by: string;
  /** How it was known that a person asked for it: "typed a code at pts/3 under sshd", "signed in to the console". */
  readonly proof: string;
};

/** A pause file as it is found. `forged`: not written by `conduct pause` or the console, so it has no effect. */
export type PauseFile =
  | { readonly kind: "none" }
  | { readonly kind: "pause"; readonly pause: Pause }
  | { readonly kind: "forged"; readonly why: string };

/** No pause is longer: one that was forgotten must not last for ever. */
export const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** Has the operator paused Conduct? Cheap, because it is asked at every moment. */
export function isPaused(home: string, now: number = Date.now()): boolean {
  return readPause(home, now) !== undefined;
}

/** The pause in force now. A file that cannot be relied on is none: then everything is enforced. */
export function readPause(home: string, now: number = Date.now()): Pause | undefined {
  const found = readPauseFile(home, now);
  return found.kind === "pause" ? found.pause : undefined;
}

/** A pause that has expired is `none`. */
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
    if (pause === undefined) return forged("it cannot be read as a pause");
    const key = readSwitchKey(home);
    if (key === undefined || !isSignature(key, pauseText(pause), pause.signature)) {
      return forged("its signature is missing or wrong");
    }
    if (pause.until - now > LONGEST_PAUSE_MS) return forged("it is longer than a pause can be");
    const { signature: _, ...plain } = pause;
    return now < pause.until ? { kind: "pause", pause: plain } : { kind: "none" };
  } catch {
    return forged("it cannot be read");
  }
}

export function pauseFile(home: string): string {
  return join(home, "paused");
}

/** What the signature covers. */
export function pauseText({ at, until, by, proof }: Pause): string {
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
