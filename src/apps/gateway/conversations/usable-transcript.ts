import type { JsonObject } from "../../../base/words/json.ts";

/** Shown to the person once after each load. */
export const TRANSCRIPT_NOTE =
  "A part of this conversation's transcript was damaged. The agent does not remember what was said before it; say again what it has to know.";

/** The role of a transcript entry that records a compaction. */
const MARKER = "compaction";

function isDamagedEntry({ damaged }: JsonObject): boolean {
  return damaged === true;
}

/**
 * The part of a transcript after the damage, starting with a person's message. Providers reject a result without its
 * call.
 */
export function usableTranscript(entries: readonly JsonObject[]): {
  readonly entries: readonly JsonObject[];
  readonly damaged: number;
} {
  const damaged = entries.filter(isDamagedEntry).length;
  if (damaged === 0) return { entries, damaged };
  const after = entries.slice(entries.findLastIndex(isDamagedEntry) + 1);
  const first = after.findIndex(({ role }) => role === "user" || role === undefined);
  const rest = first < 0 ? [] : after.slice(first);
  return { entries: rest.filter(({ role }) => role !== MARKER), damaged };
}
