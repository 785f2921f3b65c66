import type { DirectiveType } from "../../../../base/words/contract.ts";
import { openClause, restOf, verbAndRest } from "./clause.ts";
import { contentWords } from "./content-words.ts";
import { tidyText } from "./directive-text.ts";
import type { Folded } from "./fold-sentence.ts";
import { notOwnWish } from "./not-own-wish.ts";

/** A task, as it was asked for: once it is nothing, again and again it is a habit that the agent could take up. */
type Request = { readonly type: DirectiveType; readonly verb: string; readonly text: string };

const TASKS = new Set(
  `add annotate append archive ask attach back bump build cite check clean commit compare compile confirm convert cover create deploy describe document double-check draft
  draw escape estimate explain export fetch fill fix format generate give group highlight include indent inline install label link lint list log mark measure mention merge mock
  name note number open order pin plan post prefix preview print profile prove push put quote rebase record redact refactor refresh regenerate remove rename render reply report
  reproduce restart retest return review rewrite round run save scan send set shorten show sign simplify sort split squash start state store structure submit summarise summarize switch sync
  tag test translate trim type update upload use validate verify wait warn wrap write`.split(/\s+/),
);
const LONGEST = 90;

/** The task that a sentence asks for, where it is short and plain. */
export function readRequest(folded: Folded): Request | undefined {
  if (folded.text.length > LONGEST || !folded.words.some((word) => TASKS.has(word))) return undefined;
  const clause = openClause(folded, 0);
  const verb = /^[\p{L}-]+/u.exec(restOf(clause))?.[0] ?? "";
  if (!TASKS.has(verb) || notOwnWish(folded.text) !== undefined) return undefined;
  const said = verbAndRest(clause, clause.negative ? "gerund" : "base");
  const text = said === undefined ? "" : tidyText(said);
  // Without a thing it is a word of the moment, like "commit" or "check it".
  return contentWords(text).size < 2 ? undefined : { type: clause.negative ? "stop" : "start", verb, text };
}
