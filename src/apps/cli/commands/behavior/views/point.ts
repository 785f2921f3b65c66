import { readTime } from "../../../../../behavior/contract/iso-time.ts";
import type { Outcome } from "../../../line/outcome.ts";
import { clip, oneLine } from "../../../line/printable.ts";
import { badArgument, HISTORY } from "../answers.ts";
import { textOf } from "../world.ts";

type Wrong = Extract<Outcome, { readonly ok: false }>;

/** A version as people write it: `8` or `v8`. */
export function readVersion(given: unknown, name: string): number | Wrong | undefined {
  const text = textOf(given);
  if (text === undefined) return undefined;
  const seq = /^v?\d{1,15}$/i.test(text) ? Number(text.replace(/^v/i, "")) : Number.NaN;
  if (Number.isSafeInteger(seq)) return seq;
  return badArgument(
    `${name}: '${clip(oneLine(text), 40)}' is no version`,
    "give its number, as the history has it: 8 or v8",
  );
}

/** A time with its zone, in milliseconds. */
export function readInstant(given: unknown, name: string): number | Wrong | undefined {
  const text = textOf(given);
  if (text === undefined) return undefined;
  const time = readTime(text);
  if (time !== undefined) return Date.parse(time);
  return badArgument(
    `${name}: '${clip(oneLine(text), 40)}' is no time`,
    "give it with its zone, as 2026-11-15T08:00Z",
    "INVALID_TIME",
  );
}

/** What is asked about has not happened. */
export function noSuchVersion(asked: number, newest: number): Outcome {
  const message = `there is no version ${asked}: the newest entry of the journal is ${newest}`;
  return { ok: false, code: "VERSION_NOT_FOUND", message, fix: "take a version from the history", next: [HISTORY] };
}
