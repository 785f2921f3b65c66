import type { DirectiveType } from "../../../base/words/contract.ts";

/** `first` must have succeeded before `later`; both are names of tools or actions. */
export type ToolOrder = { readonly first: string; readonly later: string };

type Stated = { readonly type: DirectiveType; readonly text: string };

/** Two halves of a sentence, and which of them is to come first. `against`: it says what is not to happen. */
type Form = { readonly pattern: RegExp; readonly first: 1 | 2; readonly against?: true };

const FORMS: readonly Form[] = [
  { pattern: /^(.+?)\bbefore\b(.+)$/, first: 1 },
  { pattern: /^(.+?)\b(?:only )?after\b(.+)$/, first: 2 },
  { pattern: /^(.+?)\b(?:without|until|unless)\b(.+)$/, first: 2, against: true },
  { pattern: /^(.+?)\bonly (?:when|once|if)\b(.+)$/, first: 2 },
  { pattern: /^(.+?)\b(?:first,? (?:and )?then|and then|then)\b(.+)$/, first: 1 },
];
const NEVER = /^\s*(?:never|don'?t|do not|no|not|stop|avoid)\b/;

/**
 * The order of two tools that a directive names, as `START: the tests before deploying` or `STOP: pushing without a review`; `why`
 * when it names none that can be told for sure. A rule is never guessed at.
 */
export function orderIn({ type, text }: Stated, known: readonly string[]): ToolOrder | { readonly why: string } {
  const said = text.toLowerCase();
  const never = type === "stop" || type === "less" || NEVER.test(said);
  for (const { pattern, first, against } of FORMS) {
    const [, left, right] = pattern.exec(said) ?? [];
    if (left === undefined || right === undefined) continue;
    // What is only spoken against says nothing of an order when it is wanted: "deploy without asking".
    if (against === true && !never) return { why: "it asks for something without the other" };
    const [a, b] = [nameIn(left, known), nameIn(right, known)];
    if (a === undefined || b === undefined || a === b) return unknown(left, right, a, b);
    const leftFirst = first === 1;
    // "Never X before Y" wants Y first; "never X without Y" has said so already.
    const turned = never && against !== true ? !leftFirst : leftFirst;
    return turned ? { first: a, later: b } : { first: b, later: a };
  }
  return { why: "it names no order of two tools, such as 'the tests before deploying'" };
}

function unknown(left: string, right: string, a: string | undefined, b: string | undefined): { readonly why: string } {
  if (a !== undefined && a === b) return { why: `both sides name ${a}` };
  const dark = [a === undefined ? left : undefined, b === undefined ? right : undefined];
  const quoted = dark.filter((part) => part !== undefined).map((part) => `'${part.trim()}'`);
  return { why: `it cannot be told which tool or action is meant by ${quoted.join(" and ")}` };
}

/** The one name whose words are all in the phrase; of several the longest, and none where two are as long. */
function nameIn(phrase: string, known: readonly string[]): string | undefined {
  const words = new Set(wordsOf(phrase).map(stem));
  const found = known
    .map((name) => ({ name, parts: wordsOf(name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()).map(stem) }))
    .filter(({ parts }) => parts.length > 0 && parts.every((part) => words.has(part)))
    .sort((one, other) => other.parts.length - one.parts.length);
  const [best, next] = found;
  return best === undefined || next?.parts.length === best.parts.length ? undefined : best.name;
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

const ENDINGS = /(?:ments?|ings?|ed|es|s)$/;

/** `deploying`, `deployment` and `deployed` are about `deploy`; `running` about `run`. */
function stem(word: string): string {
  const short = word.length > 4 ? word.replace(ENDINGS, "") : word;
  return short.replace(/([^aeiousl])\1$/, "$1").replace(/(?<=..[^aeiou])e$/, "");
}
