import type { BehaviorDirective, DirectiveType } from "../../../base/words/contract.ts";
import { writeDirective } from "../parse/directive-form.ts";
import type { NextCommand } from "./change-request.ts";

type Written = { readonly type: DirectiveType; readonly text: string };

export const listCommand: NextCommand = {
  command: "conduct behavior list",
  description: "Show the contract as it is",
};

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

/** The command that adds a directive to everybody's contract. */
export function addWritten(directive: Written): string {
  return `conduct behavior add ${quoteText(writeDirective(directive))}`;
}

export function addCommand(directive: BehaviorDirective): NextCommand {
  return {
    command: `${addWritten(directive)}${scopeOption(directive)}`,
    description: "Add it again",
  };
}

export function promoteCommand(id: string): NextCommand {
  return { command: `conduct behavior promote ${quoteWord(id)}`, description: "Promote the candidate then" };
}

function scopeOption({ scope }: BehaviorDirective): string {
  return scope === "global" ? "" : ` ${quoteWord(`--scope=${scope}`)}`;
}

function quoteWord(word: string): string {
  return /^[\w.:=@/-]+$/.test(word) ? word : quoteText(word);
}

/** As one word for a shell: in double quotes where nothing in it means anything to a shell, else in single ones. */
function quoteText(text: string): string {
  return /["\\$`!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}
