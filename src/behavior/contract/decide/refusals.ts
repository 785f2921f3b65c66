import type { ContractCode } from "../../../base/words/contract.ts";
import type { RefusedText } from "../parse/normalise-directive.ts";
import type { NextCommand, Refusal } from "./change-request.ts";

export function refuse(code: ContractCode, message: string, fix: string, next: readonly NextCommand[] = []): Refusal {
  return { kind: "refused", code, message, fix, next };
}

export function badText({ message, fix }: RefusedText): Refusal {
  return refuse("INVALID_DIRECTIVE_TEXT", message, fix);
}

export function badType(written: string): Refusal {
  const message = `'${written.slice(0, 40).toWellFormed()}' is no type of directive.`;
  return refuse("INVALID_DIRECTIVE_TEXT", message, "Give keep, more, less, stop or start.");
}

export function badScope(written: string): Refusal {
  const message = `'${written.slice(0, 80).toWellFormed()}' is no scope.`;
  return refuse("INVALID_SCOPE", message, "Give global, agent:NAME, channel:NAME or user:NAME.");
}

export function badCheck(wrong: string): Refusal {
  const fix =
    "Give one of: length: at most 120 words · cadence: at most 2 replies · order: test before deploy · reply: EXPRESSION";
  return refuse("INVALID_CHECK", wrong, fix);
}

export function badTime(what: string, written: string): Refusal {
  const message = `The ${what} '${written.slice(0, 40).toWellFormed()}' is no time to come.`;
  return refuse("INVALID_TIME", message, "Give a later time with its zone, such as 2026-12-31T18:00:00Z.");
}
