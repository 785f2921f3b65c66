import type {
  BehaviorDirective,
  ContractChange,
  ContractCode,
  ContractScope,
  DirectiveType,
} from "../../../base/words/contract.ts";
import { writeDirective } from "../parse/directive-form.ts";
import type { Accepted, ChangeOutcome, NextCommand, Refusal } from "./change-request.ts";

type Written = { readonly type: DirectiveType; readonly text: string };

export const listCommand: NextCommand = { command: "conduct behavior list", description: "Show the contract as it is" };

export const undoCommand: NextCommand = { command: "conduct behavior undo", description: "Take this change back" };

export function removeCommand(directive: BehaviorDirective): NextCommand {
  return {
    command: `conduct behavior remove ${quoteWord(directive.id)}`,
    description: `Remove '${writeDirective(directive)}'`,
  };
}

export function replaceCommand(old: BehaviorDirective, by: Written): NextCommand {
  return {
    command: `conduct behavior replace ${quoteWord(old.id)} ${quoteText(writeDirective(by))}`,
    description: `Put it in the place of '${writeDirective(old)}'`,
  };
}

/** The command that adds a directive to the global contract. */
export function addWritten(directive: Written): string {
  return `conduct behavior add ${quoteText(writeDirective(directive))}`;
}

export function addCommand(directive: BehaviorDirective): NextCommand {
  const { scope } = directive;
  const option = scope === "global" ? "" : ` ${quoteWord(`--scope=${scope}`)}`;
  return { command: `${addWritten(directive)}${option}`, description: "Add it again" };
}

export function promoteCommand(id: string): NextCommand {
  return { command: `conduct behavior promote ${quoteWord(id)}`, description: "Promote the candidate then" };
}

function quoteWord(word: string): string {
  return /^[\w.:=@/-]+$/.test(word) ? word : quoteText(word);
}

/** Quotes a shell word: in double quotes unless it has characters that are special there. */
function quoteText(text: string): string {
  return /["\\$`!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

/** An accepted request, without warnings and with no suggested command unless given. */
export function accept(
  outcome: ChangeOutcome,
  scope: ContractScope,
  changes: readonly ContractChange[],
  more: Partial<Pick<Accepted, "directive" | "candidate" | "rule" | "warnings" | "next">> = {},
): Accepted {
  return { kind: "accepted", outcome, changes, scope, warnings: [], next: [], ...more };
}

export function refuse(code: ContractCode, message: string, fix: string, next: readonly NextCommand[] = []): Refusal {
  return { kind: "refused", code, message, fix, next };
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
