import type { ContractView } from "../../../../base/words/contract.ts";
import { readTime } from "../../../../behavior/contract/iso-time.ts";
import { isScope } from "../../../../behavior/contract/scopes.ts";
import { clip, oneLine } from "../../../shared/printable.ts";
import type { ViewArgs } from "../../declared/contract-commands.ts";
import { badArgument, type Failure, failed } from "../../line/outcome.ts";
import { HISTORY } from "../../stores/with-contract.ts";

/** Reads a version: `8` or `v8`. */
export function readVersion(text: string | undefined, name: string): number | Failure | undefined {
  if (text === undefined) return undefined;
  const seq = /^v?\d{1,15}$/i.test(text) ? Number(text.replace(/^v/i, "")) : Number.NaN;
  if (Number.isSafeInteger(seq)) return seq;
  const message = `${name}: '${clip(oneLine(text), 40)}' is no version`;
  return badArgument(message, "give its number, as the history has it: 8 or v8");
}

/** Reads a time with its zone; returns milliseconds since the epoch. */
export function readInstant(text: string | undefined, name: string): number | Failure | undefined {
  if (text === undefined) return undefined;
  const time = readTime(text);
  if (time !== undefined) return Date.parse(time);
  const message = `${name}: '${clip(oneLine(text), 40)}' is no time`;
  return badArgument(message, "give it with its zone, as 2026-11-15T08:00Z", "INVALID_TIME");
}

export function noSuchVersion(asked: number, newest: number): Failure {
  const message = `there is no version ${asked}: the newest entry of the journal is ${newest}`;
  return failed("VERSION_NOT_FOUND", message, "take a version from the history", { next: [HISTORY] });
}

export function readView({ agent, channel, user }: ViewArgs): ContractView | Failure {
  const given = Object.entries({ agent, channel, user }).filter(([, name]) => name !== undefined);
  for (const [kind, name = ""] of given) {
    if (isScope(`${kind}:${name}`)) continue;
    const message = `--${kind}: '${clip(oneLine(name), 80)}' is no name`;
    return badArgument(message, "give a name without spaces", "INVALID_SCOPE");
  }
  return Object.fromEntries(given);
}
