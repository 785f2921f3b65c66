import type { JsonObject } from "../../../base/words/json.ts";

/** Said to the person, once after each load. */
export const TRANSCRIPT_NOTE =
  "A part of this conversation's transcript was damaged. The agent does not remember what was said before it; say again what it has to know.";

/** The role of an entry that says how those before it are shown, by their places. */
const MARKER = "compaction";

/** Stands for an entry that could not be read. */
function isDamagedEntry({ damaged }: JsonObject): boolean {
  return damaged === true;
}

/**
 * The part of a transcript that a runtime can go on with: what was said from the first message after the damage on. A result without its
 * call, or a summary of entries that are not there, would be refused by the model's provider.
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
