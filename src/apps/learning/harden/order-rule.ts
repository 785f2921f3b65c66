import { stringify } from "yaml";
import type { BehaviorDirective, Candidate, DirectiveType } from "../../../base/words/contract.ts";
import { effectNames } from "../../../behavior/commands/line-effects.ts";
import { writeDirective } from "../../../behavior/contract/parse/directive-form.ts";

/** `first` must have succeeded before `later`; both are names of tools, actions or effects of commands. */
type ToolOrder = { readonly first: string; readonly later: string };

type Stated = { readonly type: DirectiveType; readonly text: string };

/** A sentence pattern with two parts, and which part comes first. `against`: the sentence forbids something. */
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
 * The tool order in a directive, such as `START: the tests before deploying` or `STOP: pushing without a review`;
 * `why` if the order is not certain. Rules are never guessed.
 */
export function orderIn({ type, text }: Stated, known: readonly string[]): ToolOrder | { readonly why: string } {
  const said = text.toLowerCase();
  const never = type === "stop" || type === "less" || NEVER.test(said);
  for (const { pattern, first, against } of FORMS) {
    const [, left, right] = pattern.exec(said) ?? [];
    if (left === undefined || right === undefined) continue;
    // A "without" sentence that is a wish gives no order: "deploy without asking".
    if (against === true && !never) return { why: "it asks for one of them without the other" };
    const [a, b] = [nameIn(left, known), nameIn(right, known)];
    if (a === undefined || b === undefined || a === b) return unknown(left, right, a, b);
    const leftFirst = first === 1;
    // "Never X before Y" means Y first; "never X without Y" already has that order.
    const turned = never && against !== true ? !leftFirst : leftFirst;
    return turned ? { first: a, later: b } : { first: b, later: a };
  }
  return { why: "it names no order of two tools such as 'the tests before deploying'" };
}

function unknown(left: string, right: string, a: string | undefined, b: string | undefined): { readonly why: string } {
  if (a !== undefined && a === b) return { why: `both sides name ${a}` };
  const dark = [a === undefined ? left : undefined, b === undefined ? right : undefined];
  const quoted = dark.filter((part) => part !== undefined).map((part) => `'${part.trim()}'`);
  return { why: `it is unclear which tool or action is meant by ${quoted.join(" and ")}` };
}

/** The name whose words all occur in the phrase; the longest of several, `undefined` if two are equally long. */
function nameIn(phrase: string, known: readonly string[]): string | undefined {
  const words = new Set(wordsOf(phrase).map(stem));
  const found = known
    .map((name) => ({ name, parts: wordsOf(name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()).map(stem) }))
    .filter(({ parts }) => parts.length > 0 && parts.every((part) => words.has(part)))
    .sort((one, other) => other.parts.length - one.parts.length);
  const [best, next] = found;
  if (best === undefined) return EFFECTS.find(([word]) => words.has(word))?.[1];
  return next?.parts.length === best.parts.length ? undefined : best.name;
}

const CHECKS = /^(?:tests|lints|builds)\.run$|^types\.check$/;

/** What a stemmed word means where no tool or action has its name: every agent with a shell has these. */
const EFFECTS: readonly (readonly [string, string])[] = [
  ["test", "tests.run"],
  ["lint", "lints.run"],
  ["build", "builds.run"],
  ["typecheck", "types.check"],
  ["deploy", "deploys.run"],
  ["commit", "git.commit"],
  ["push", "git.push"],
  ["publish", "packages.publish"],
];

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

const ENDINGS = /(?:ments?|ings?|ed|es|s)$/;

/** `deploying`, `deployment` and `deployed` become `deploy`; `running` becomes `run`. */
function stem(word: string): string {
  const short = word.length > 4 ? word.replace(ENDINGS, "") : word;
  return short.replace(/([^aeiousl])\1$/, "$1").replace(/(?<=..[^aeiou])e$/, "");
}

type OrderRule = { readonly rule: string; readonly text: string; readonly order: ToolOrder };

type Source = Pick<BehaviorDirective, "id" | "type" | "text"> &
  Pick<Partial<BehaviorDirective>, "check"> &
  Partial<Pick<Candidate, "confidence">>;

/**
 * Builds the rule of a candidate or directive. `given` overrides the order
 * of its check or text; `known` lists the tools and actions.
 */
export function orderRule(
  source: Source,
  known: readonly string[],
  given: Partial<ToolOrder> = {},
): OrderRule | { readonly why: string } {
  const { check } = source;
  const told = check?.kind === "order" ? check : orderIn(source, known);
  const { first = "first" in told ? told.first : undefined, later = "later" in told ? told.later : undefined } = given;
  if (first === undefined || later === undefined) return { why: "why" in told ? told.why : "it names no order" };
  if (first === later) return { why: `'${first}' cannot come before itself` };
  const strange = [first, later].find((name) => !known.includes(name) && !effectNames().has(name));
  if (strange !== undefined)
    return { why: `'${strange}' is no effect of commands, and no agent has such a tool or action` };
  const rule = `${slug(first)}-before-${slug(later)}`;
  // What was checked before a change says nothing about the files after it.
  const require = CHECKS.test(first) ? { call: first, since: "workspace.change" } : { call: first };
  const written = { rules: [{ id: rule, on: later, require, say: `First ${first}, then ${later}.` }] };
  const sure = source.confidence === undefined ? "" : `, confidence ${source.confidence.toFixed(2)}`;
  const head = `# from ${source.id}: ${oneLine(writeDirective(source))}${sure}\n`;
  return { rule, text: `${head}${stringify(written)}`, order: { first, later } };
}

function slug(name: string): string {
  return name.replace(/[^\w.-]+/g, "-");
}

/** A comment ends at the line break. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}
