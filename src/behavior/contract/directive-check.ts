import { parseDuration } from "../../base/kernel/duration.ts";
import type { DirectiveCheck } from "../../base/words/contract.ts";

const MAX_CHARS = 500;
const FORM = /^\s*(length|cadence|order|reply)\s*:\s*(.*?)\s*$/s;
const AMOUNT = /^(?:(at most|at least)\s+)?(\d{1,7})\s+(words?|characters?|lines?|repl(?:y|ies))(?:\s+in\s+(\S+))?$/;
const ORDER = /^(\S+)\s+before\s+(\S+)$/;
const NAME = /^[\w./:-]{1,100}$/;

/**
 * Reads `length: at most 120 words`, `cadence: at most 1 reply in 5m`, `order: test before deploy` or
 * `reply: !text.contains("As an AI")`. The expression of a `reply` is not compiled here.
 */
export function parseCheck(written: string): DirectiveCheck | { readonly wrong: string } {
  if (written.length > MAX_CHARS) return { wrong: `The check has more than ${MAX_CHARS} characters.` };
  const [, kind, rest = ""] = FORM.exec(written) ?? [];
  switch (kind) {
    case "reply":
      return rest === "" ? { wrong: "The check has no expression." } : { kind, holds: rest };
    case "order": {
      const [, first = "", later = ""] = ORDER.exec(rest) ?? [];
      if (!NAME.test(first) || !NAME.test(later))
        return { wrong: `'${shown(rest)}' is not of the form: first before second.` };
      return first === later ? { wrong: "A tool cannot come before itself." } : { kind, first, later };
    }
    case "length":
    case "cadence":
      return readAmount(kind, rest);
    default:
      return { wrong: `'${shown(written)}' is not a check.` };
  }
}

function readAmount(kind: "length" | "cadence", rest: string): DirectiveCheck | { readonly wrong: string } {
  const [, bound = "at most", count = "", unit = "", span] = AMOUNT.exec(rest) ?? [];
  if (unit === "") return { wrong: `'${shown(rest)}' is not an amount such as: at most 120 words.` };
  const amount = bound === "at most" ? { atMost: Number(count) } : { atLeast: Number(count) };
  const replies = unit.startsWith("repl");
  if (kind === "length") {
    if (replies || span !== undefined) return { wrong: "Count a length in words, characters or lines." };
    const of = unit.startsWith("w") ? "words" : unit.startsWith("c") ? "characters" : "lines";
    return { kind, unit: of, ...amount };
  }
  if (!replies) return { wrong: "Count a cadence in replies." };
  const withinMs = span === undefined ? undefined : parseDuration(span);
  if (span !== undefined && (withinMs === undefined || withinMs <= 0))
    return { wrong: `'${shown(span)}' is not a duration such as 5m.` };
  return { kind, ...amount, withinMs };
}

/** The inverse of `parseCheck`. */
export function writeCheck(check: DirectiveCheck): string {
  switch (check.kind) {
    case "reply":
      return `reply: ${check.holds}`;
    case "order":
      return `order: ${check.first} before ${check.later}`;
    case "length":
      return `length: ${amountText(check)} ${check.unit}`;
    case "cadence":
      return `cadence: ${amountText(check)} replies${check.withinMs === undefined ? "" : ` in ${check.withinMs}ms`}`;
  }
}

function amountText({ atMost, atLeast }: { readonly atMost?: number; readonly atLeast?: number }): string {
  return atMost === undefined ? `at least ${atLeast ?? 0}` : `at most ${atMost}`;
}

function shown(text: string): string {
  return text.slice(0, 80).toWellFormed();
}
