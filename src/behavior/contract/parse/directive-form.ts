import type { DirectiveType } from "../../../base/words/contract.ts";
import { type Keywords, keywordOf } from "./keywords.ts";

export type DirectiveFaultCode =
  | "lower-case"
  | "unknown-keyword"
  | "full-width-colon"
  | "space-before-colon"
  | "missing-space"
  | "extra-space"
  | "open-bold"
  | "empty-text"
  | "question"
  | "not-own-words"
  | "refused-text"
  | "too-many";

/** A line that looks like a directive. `fault`: it is none, for this; `meant`: as it should have been written. */
export type DirectiveForm = {
  readonly type: DirectiveType;
  readonly text: string;
  readonly fault?: Exclude<DirectiveFaultCode, "not-own-words" | "refused-text" | "too-many">;
};

/** Marker of a list, bold, the word, bold, spaces, colon, bold, the rest. */
const FORM =
  /^ {0,3}(?:(?:[-*+•]|\d{1,9}[.)])[ \t]{1,4})?(\*{1,2}|_{1,2})?(\p{L}[\p{L}\p{M}]{1,19})(\*{1,2}|_{1,2})?([ \t]{0,4})([:：﹕︓])(\*{1,2}|_{1,2})?(.*)$/su;

const QUESTION = /[?？؟⁇][\s"'”’»)\]*_]*$/;

/** The line as a directive or as a near miss; `undefined` when it is neither. */
export function readForm(line: string, keywords: Keywords): DirectiveForm | undefined {
  const [, open = "", word = "", afterWord = "", spaces = "", colon = "", afterColon = "", rest = ""] =
    FORM.exec(line) ?? [];
  const written = word.normalize("NFC");
  const known = keywords.get(written);
  const type = known ?? keywords.get(written.toUpperCase()) ?? misspelt(written, keywords);
  if (type === undefined || (open === "" && `${afterWord}${afterColon}` !== "")) return undefined;
  const bold = withoutBold(open, afterWord, afterColon, rest);
  const form = { type, text: bold.text.trim() };
  if (known === undefined) return nearKeyword(form, { written, colon, spaces, rest: bold.text });
  if (colon !== ":") return { ...form, fault: "full-width-colon" };
  if (form.text === "") return { ...form, fault: "empty-text" };
  if (spaces !== "") return { ...form, fault: "space-before-colon" };
  if (!bold.closed) return { ...form, fault: "open-bold" };
  if (!bold.text.startsWith(" ")) return { ...form, fault: /^\s/.test(bold.text) ? "extra-space" : "missing-space" };
  if (/^\s/.test(bold.text.slice(1))) return { ...form, fault: "extra-space" };
  return QUESTION.test(form.text) ? { ...form, fault: "question" } : form;
}

/** Other words are left alone unless all but the word is as it must be: prose is full of words with a colon. */
function nearKeyword(
  form: { readonly type: DirectiveType; readonly text: string },
  { written, colon, spaces, rest }: { written: string; colon: string; spaces: string; rest: string },
): DirectiveForm | undefined {
  if (colon !== ":" || spaces !== "" || !/^ \S/.test(rest) || QUESTION.test(rest)) return undefined;
  return { ...form, fault: written === written.toUpperCase() ? "unknown-keyword" : "lower-case" };
}

/** `**KEEP**: x`, `**KEEP:** x` and `**KEEP: x**`. */
function withoutBold(open: string, afterWord: string, afterColon: string, rest: string) {
  if (open === "") return { text: rest, closed: true };
  if ((afterWord === open) !== (afterColon === open))
    return { text: rest, closed: `${afterWord}${afterColon}` === open };
  const end = rest.trimEnd();
  const closed = afterWord === "" && afterColon === "" && end.length > open.length && end.endsWith(open);
  return closed ? { text: end.slice(0, -open.length), closed } : { text: rest, closed };
}

/** A keyword with two letters swapped, one doubled or one left out. Words that people write before a colon are left alone. */
function misspelt(word: string, keywords: Keywords): DirectiveType | undefined {
  if (word.length < 3 || word !== word.toUpperCase() || WORDS.has(word)) return undefined;
  for (const [keyword, type] of keywords) {
    if (word[0] === keyword[0] && slips(keyword).includes(word)) return type;
  }
  return undefined;
}

function slips(keyword: string): readonly string[] {
  return [...keyword].flatMap((letter, at) => {
    const before = keyword.slice(0, at);
    const after = keyword.slice(at + 1);
    return [before + after, before + letter + letter + after, before + after.slice(0, 1) + letter + after.slice(1)];
  });
}

const WORDS: ReadonlySet<string> = new Set(["LES", "MOE", "MRE", "SOP", "STAR", "STAT", "STO", "STOOP", "STRAT"]);

/** As a directive is written in the operator's own words. */
export function writeDirective({ type, text }: { readonly type: DirectiveType; readonly text: string }): string {
  return `${keywordOf(type)}: ${text}`;
}
