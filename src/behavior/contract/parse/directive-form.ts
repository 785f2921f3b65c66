import type { DirectiveType } from "../../../base/words/contract.ts";

export const DIRECTIVE_TYPES: readonly DirectiveType[] = ["keep", "more", "less", "stop", "start"];

/** The type of each word that opens a directive. */
export type Keywords = ReadonlyMap<string, DirectiveType>;

export const KEYWORDS: Keywords = new Map(DIRECTIVE_TYPES.map((type) => [keywordOf(type), type]));

/**
 * The keywords and an operator's own words for them, written as `STOP=STOPP,KEEP=BEHALTEN`. Throws if one of them
 * could not open a directive.
 */
export function readKeywords(written = ""): Keywords {
  const all = new Map(KEYWORDS);
  for (const pair of written.split(",").filter((part) => part.trim() !== "")) {
    const [keyword = "", word = "", ...more] = pair.split("=").map((part) => part.trim().normalize("NFC"));
    const type = KEYWORDS.get(keyword);
    const isWord = /^\p{L}[\p{L}\p{M}]{1,19}$/u.test(word) && word === word.toUpperCase();
    if (type === undefined || !isWord || more.length > 0 || (all.get(word) ?? type) !== type)
      throw new Error(
        `'${pair.trim().slice(0, 60)}' is not a word for a keyword. Write KEEP, MORE, LESS, STOP or START, then = and a word of 2 to 20 upper-case letters that no other keyword has, such as STOP=STOPP`,
      );
    all.set(word, type);
  }
  return all;
}

export function keywordOf(type: DirectiveType): string {
  return type.toUpperCase();
}

type KeywordFault = "lower-case" | "unknown-keyword";
type SpellingFault = "full-width-colon" | "space-before-colon" | "missing-space" | "extra-space" | "open-bold";
type FormFault = KeywordFault | SpellingFault | "empty-text" | "question";
export type DirectiveFaultCode = FormFault | "not-own-words" | "refused-text" | "too-many";

/** A line that looks like a directive. `fault`: why it is not one. */
export type DirectiveForm = {
  readonly type: DirectiveType;
  readonly text: string;
  readonly fault?: FormFault;
};

/** List marker, bold, keyword, bold, spaces, colon, bold, text. */
const FORM =
  /^ {0,3}(?:(?:[-*+•]|\d{1,9}[.)])[ \t]{1,4})?(\*{1,2}|_{1,2})?(\p{L}[\p{L}\p{M}]{1,19})(\*{1,2}|_{1,2})?([ \t]{0,4})([:：﹕︓])(\*{1,2}|_{1,2})?(.*)$/su;

const QUESTION = /[?？؟⁇][\s"'”’»)\]*_]*$/;

/** The line as a directive or a near miss; `undefined` if it is neither. */
export function readForm(line: string, keywords: Keywords = KEYWORDS): DirectiveForm | undefined {
  const [, open = "", word = "", afterWord = "", spaces = "", colon = "", afterColon = "", rest = ""] =
    FORM.exec(line) ?? [];
  const written = word.normalize("NFC");
  const known = keywords.get(written);
  const type = known ?? keywords.get(written.toUpperCase()) ?? misspelt(written);
  if (type === undefined || (open === "" && `${afterWord}${afterColon}` !== "")) return undefined;
  const bold = withoutBold(open, afterWord, afterColon, rest);
  const form = { type, text: bold.text.trim() };
  if (known === undefined) {
    // Prose is full of words with a colon, so everything but the word must be right.
    if (colon !== ":" || spaces !== "" || !/^ \S/.test(bold.text) || QUESTION.test(bold.text)) return undefined;
    return { ...form, fault: written === written.toUpperCase() ? "unknown-keyword" : "lower-case" };
  }
  if (colon !== ":") return { ...form, fault: "full-width-colon" };
  if (form.text === "") return { ...form, fault: "empty-text" };
  if (spaces !== "") return { ...form, fault: "space-before-colon" };
  if (!bold.closed) return { ...form, fault: "open-bold" };
  if (!bold.text.startsWith(" ")) return { ...form, fault: /^\s/.test(bold.text) ? "extra-space" : "missing-space" };
  if (/^\s/.test(bold.text.slice(1))) return { ...form, fault: "extra-space" };
  return QUESTION.test(form.text) ? { ...form, fault: "question" } : form;
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

/** A keyword with two letters swapped, one doubled or one missing. Common words are excluded. */
function misspelt(word: string): DirectiveType | undefined {
  if (word.length < 3 || word !== word.toUpperCase() || WORDS.has(word)) return undefined;
  for (const [keyword, type] of KEYWORDS) {
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

export function writeDirective({ type, text }: { readonly type: DirectiveType; readonly text: string }): string {
  return `${keywordOf(type)}: ${text}`;
}
