import type { DirectiveType } from "../../../../base/words/contract.ts";
import { contentWords } from "./content-words.ts";
import { gerundOf, tidyText } from "./directive-text.ts";
import type { ReadSentence } from "./sentence-features.ts";
import { cutAfter } from "./sentence-words.ts";

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

/** Signs that it is no task of the person's own. */
const NO_TASK = ["asked:plain", "reported", "hypothetical", "unmeant", "sarcastic"];

/** The task that a sentence asks for, where it is short and plain. */
export function readRequest(read: ReadSentence): Request | undefined {
  const clause = read.clauses[0];
  if (clause === undefined || read.folded.text.length > LONGEST || !(clause.kind === "do" || clause.kind === "dont"))
    return undefined;
  const verb = read.words[clause.head] ?? "";
  if (!TASKS.has(verb) || NO_TASK.some((sign) => read.features.has(sign))) return undefined;
  const negative = clause.kind === "dont";
  const text = tidyText(`${negative ? gerundOf(verb) : verb}${cutAfter(read, clause.head)}`);
  // Without a thing it is a word of the moment, like "commit" or "check it".
  return contentWords(text).size < 2 ? undefined : { type: negative ? "stop" : "start", verb, text };
}
