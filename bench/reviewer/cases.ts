import type { DirectiveType } from "../../src/base/words/contract.ts";

/** A turn of a person; turns of the agent may stand between them and are not read. */
type Turn = string | { readonly role: "user" | "operator" | "agent" | "assistant"; readonly text: string };

/**
 * A conversation and what was planted in it. `about`: words of the sentence that must be found. `null`: nothing may be found. `kind` is for
 * the table of near-misses.
 */
export type ReviewerCase = ({ readonly text: string } | { readonly turns: readonly Turn[] }) & {
  readonly planted: { readonly type: DirectiveType; readonly about: string } | null;
  readonly kind?: string;
};

/** Reads `type | about | text` lines; `\n` in a text is a new line. */
export function plantedCases(lines: string): readonly ReviewerCase[] {
  return rows(lines).map(([type = "", about = "", ...text]) => ({
    text: readEscapes(text.join(" | ")),
    planted: { type: type as DirectiveType, about },
  }));
}

/** Reads `kind | text` lines. */
export function missCases(lines: string): readonly ReviewerCase[] {
  return rows(lines).map(([kind = "", ...text]) => ({ text: readEscapes(text.join(" | ")), planted: null, kind }));
}

function rows(lines: string): readonly (readonly string[])[] {
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.split(" | "));
}

function readEscapes(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll("\\`", "`");
}
