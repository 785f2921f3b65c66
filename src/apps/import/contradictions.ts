import type { BehaviorDirective } from "../../base/words/contract.ts";
import type { Rule } from "../../base/words/rule.ts";
import { lineEffects } from "../../behavior/commands/line-effects.ts";
import { writeDirective } from "../../behavior/contract/parse/directive-form.ts";
import { classifyStatement, sentenceOf } from "./classify-statement.ts";
import { draftsOf } from "./known-phrases.ts";
import type { RuleDraft } from "./rule-drafts.ts";

/** A line that an agent reads or obeys. `source` is its file, `the contract`, or the file of a rule; `place` is shown. */
export type SaidLine = { readonly source: string; readonly place: string; readonly text: string };

/** Two lines of different sources that cannot both be followed, or that say the same. */
export type LinePair = {
  readonly kind: "contradiction" | "repeat";
  readonly first: SaidLine;
  readonly second: SaidLine;
  readonly why: string;
};

/** `key` names what a line is about; `value` what it says about it. Lines with one key and different values contradict. */
type Claim = { readonly line: SaidLine; readonly key: string; readonly value: string; readonly shown: string };

/** Values of one key that can stand next to each other: asking before is stricter than a check before. */
const COMPATIBLE: ReadonlySet<string> = new Set(["ask+need", "ask+never", "need+never", "do+need"]);

/** The pairs, in the order of the first line. Only lines that are understood as a whole are compared. */
export function findContradictions(
  lines: readonly SaidLine[],
  rules: readonly (Rule & { readonly source: string })[],
  directives: readonly BehaviorDirective[],
): readonly LinePair[] {
  const claims = [
    ...lines.flatMap(claimsOf),
    ...directives.flatMap((one) => directiveClaims(one)),
    ...rules.flatMap(ruleClaims),
  ];
  const pairs: LinePair[] = [];
  const seen = new Set<string>();
  const add = (pair: LinePair) => {
    const id = JSON.stringify([pair.kind, pair.first.place, pair.second.place]);
    if (!seen.has(id) && pair.first.source !== pair.second.source) pairs.push(pair);
    seen.add(id);
  };
  for (const group of Map.groupBy(claims, ({ key }) => key).values()) {
    for (const [at, a] of group.entries()) {
      for (const b of group.slice(at + 1)) {
        const meets = [a.value, b.value].sort().join("+");
        const ends = { first: a.line, second: b.line };
        if (a.value === b.value) add({ kind: "repeat", ...ends, why: "both say the same" });
        else if (!COMPATIBLE.has(meets))
          add({ kind: "contradiction", ...ends, why: `one says ${a.shown}, the other ${b.shown}` });
      }
    }
  }
  const byWords = Map.groupBy(lines, ({ text }) => wordsOf(text));
  for (const [words, same] of byWords) {
    const [first, ...rest] = same;
    if (first === undefined || words.split(" ").length < 4) continue;
    for (const second of rest) add({ kind: "repeat", first, second, why: "both say the same" });
  }
  return [...pairs, ...commandsAgainstRules(lines, rules)];
}

function wordsOf(text: string): string {
  return sentenceOf(text)
    .replace(/[^\p{L}\p{N}`]+/gu, " ")
    .trim();
}

const MAY =
  /^(?:always |just |feel free to |(?:you )?(?:may|can|are allowed to) (?:always )?|it is (?:ok|okay|fine) to )+/;
const FREELY = / (?:without (?:asking|permission|approval|confirmation)(?: (?:first|me))?|directly without asking)$/;
const UNTESTED = /^(.+?) without (?:running |waiting for )?(?:the )?tests?$/;

/** What a sentence says about known activities and choices. */
function claimsOf(line: SaidLine): readonly Claim[] {
  const becomes = classifyStatement(line.text);
  const claim = (draft: RuleDraft, value: string, shown: string): Claim => ({ line, key: keyOf(draft), value, shown });
  if (becomes.kind === "rule") {
    return becomes.drafts.flatMap((draft) =>
      draft.require !== undefined
        ? [draft.on].flat().map((on) => ({ ...claim({ on }, "need", "to check first"), key: `${keyOf({ on })} check` }))
        : [
            claim(
              draft,
              draft.effect === "ask" ? "ask" : "never",
              draft.effect === "ask" ? "to ask first" : "never to do it",
            ),
          ],
    );
  }
  if (becomes.kind === "directive") return directiveClaims(becomes, line);
  const sentence = sentenceOf(line.text);
  const choice = choiceOf(sentence);
  const chosen = choice === undefined ? [] : [{ line, ...choice }];
  const activity = sentence.replace(MAY, "");
  const untested = UNTESTED.exec(activity)?.[1];
  if (untested !== undefined) {
    return (draftsOf(untested) ?? []).map((draft) => ({
      ...claim(draft, "skip", "to skip the tests"),
      key: `${keyOf(draft)} check`,
    }));
  }
  const freely = activity.replace(FREELY, "");
  const isBold = freely !== activity || activity !== sentence;
  const done = (draftsOf(freely) ?? []).map((draft) =>
    claim(draft, isBold ? "freely" : "do", isBold ? "to do it without asking" : "to do it"),
  );
  return [...chosen, ...done];
}

function keyOf({ on, when }: Pick<RuleDraft, "on" | "when">): string {
  return JSON.stringify([[on].flat().toSorted(), when ?? ""]);
}

/** A directive as a line of the contract. */
export function directiveLine(given: Pick<BehaviorDirective, "type" | "text"> & { readonly id?: string }): SaidLine {
  return { source: "the contract", place: `contract ${given.id ?? ""}`.trim(), text: writeDirective(given) };
}

const UP: ReadonlySet<string> = new Set(["keep", "more", "start"]);

function directiveClaims(
  given: Pick<BehaviorDirective, "type" | "text"> & { readonly id?: string },
  line: SaidLine = directiveLine(given),
): readonly Claim[] {
  const text = given.text.toLowerCase().replace(/[.!]+$/, "");
  const isUp = UP.has(given.type);
  const choice = isUp ? (choiceOf(text) ?? choiceOf(`use ${text}`)) : choiceOf(`no ${text}`);
  if (choice !== undefined) return [{ line, ...choice }];
  return [{ line, key: `wish ${text}`, value: isUp ? "more" : "less", shown: isUp ? "to do it" : "not to" }];
}

/** Choices of which a project makes one. The whole sentence must be the choice. */
const CHOICES: readonly (readonly [key: string, pattern: RegExp])[] = [
  [
    "indentation",
    /^(?:always |please )*(?:use|indent with|indent using|prefer) (tabs|(?:two|2|four|4|eight|8)? ?spaces)(?: (?:for|as) (?:indentation|indents?))?(?:,? (?:not|never|instead of) (?:tabs|spaces))?$/,
  ],
  [
    "quotes",
    /^(?:always |please )*(?:use|prefer) (single|double) quotes(?: (?:for|in) (?:strings?|code|typescript|javascript|python))?(?:,? (?:not|never|instead of) (?:single|double) quotes)?$/,
  ],
  [
    "semicolons",
    /^(?:always |please )*(use|omit|do not use|don't use|no|never use|avoid) semicolons(?: at the end of (?:lines|statements))?$/,
  ],
  [
    "package manager",
    /^(?:always |please |only )*(?:use|we use|install (?:packages|dependencies) with) `?(npm|pnpm|yarn|bun)`?(?: (?:for (?:everything|packages|dependencies|installs|all commands)|as (?:the )?package manager|to install (?:packages|dependencies)))?(?:,? (?:not|never|instead of) `?(?:npm|pnpm|yarn|bun)`?(?: or `?(?:npm|pnpm|yarn|bun)`?)?)?$/,
  ],
  [
    "test runner",
    /^(?:always |please )*(?:use|we use|write tests (?:with|in)|tests use) `?(jest|vitest|mocha|ava)`?(?: for (?:all )?(?:unit )?tests)?$/,
  ],
  [
    "language of answers",
    /^(?:always |please )*(?:answers?|reply|respond|replies) in (english|german|french|spanish|portuguese|italian|dutch|polish|japanese|chinese|korean)$/,
  ],
  [
    "length of answers",
    /^(?:always )?(?:be|keep (?:your )?answers|answers|give|write) (short|brief|concise|terse|succinct|detailed|verbose|thorough|long)(?: (?:answers|explanations|replies))?$/,
  ],
  [
    "how to merge",
    /^(?:always |please )*(?:use |merge with |prefer )?(squash|rebase|merge) (?:merges|merging|commits)(?: (?:for|when merging) (?:pull requests|prs))?$/,
  ],
  [
    "line length",
    /^(?:lines are |keep lines |limit lines to |wrap (?:lines )?(?:at|after) |maximum line length(?: is|:) |line length(?: is|:) )(?:at most |under |to |below |max )?(\d{2,3})(?: (?:characters|columns|chars))?$/,
  ],
  [
    "emojis",
    /^(?:always |please )*(use|do not use|don't use|no|never use|avoid) emojis?(?: in (?:your )?(?:answers|replies|responses|commits|commit messages))?$/,
  ],
  [
    "comments",
    /^(?:always |please )*(write|add|do not write|don't write|no|do not add|don't add|never add|avoid) (?:code )?comments(?: (?:in|to) (?:the )?code)?$/,
  ],
];
const NO = /^(?:omit|do not|don't|no|never|avoid)/;
const WORDS: { readonly [word: string]: string } = { two: "2", four: "4", eight: "8" };

function choiceOf(sentence: string): Omit<Claim, "line"> | undefined {
  for (const [key, pattern] of CHOICES) {
    const found = pattern.exec(sentence)?.[1]?.trim();
    if (found === undefined) continue;
    const isLength = key === "length of answers";
    const value = isLength
      ? /^(?:detailed|verbose|thorough|long)$/.test(found)
        ? "long"
        : "short"
      : NO.test(found)
        ? "no"
        : /^(?:use|write|add)$/.test(found)
          ? "yes"
          : found.replace(/^(two|four|eight)/, (word) => WORDS[word] ?? word);
    const shown = value === "no" ? `no ${key}` : value === "yes" ? key : value;
    return { key: `choice ${key}`, value, shown: `'${shown}'` };
  }
  return undefined;
}

/** Rules that deny without a condition on the past: what they are about is never allowed. */
function ruleClaims(rule: Rule & { readonly source: string }): readonly Claim[] {
  const value = stanceOf(rule);
  if (value === undefined) return [];
  const line = ruleLine(rule);
  if (value === "need") {
    const calls = JSON.stringify(rule.require ?? {});
    return calls.includes('"tests.run"')
      ? rule.on.map((on) => ({ line, key: `${keyOf({ on })} check`, value, shown: "to check first" }))
      : [];
  }
  const draft = { on: rule.on, when: rule.when };
  return [{ line, key: keyOf(draft), value, shown: value === "ask" ? "to ask first" : "never to do it" }];
}

/** What a rule says, at its place. */
export function ruleLine({ id, place, say, source }: Rule & { readonly source: string }): SaidLine {
  const where = place === undefined ? id : `${place.file}:${place.line} (rule ${id})`;
  return { source, place: where, text: say ?? id };
}

function stanceOf({ effect, require, atMost, set, unless }: Rule): "never" | "ask" | "need" | undefined {
  const isFirm = effect === "deny" || effect === "end-turn";
  if (atMost !== undefined || set !== undefined || unless !== undefined) return undefined;
  if (require !== undefined) return isFirm ? "need" : undefined;
  return isFirm ? "never" : effect === "ask" ? "ask" : undefined;
}

const RUN =
  /^(?:always |then |finally |please )*(?:run|use|execute|deploy with|publish with|push with|release with) `([^`]+)`(?: (?:to|when|after|once|for|before) [^`]*)?$/;
const FLAGS = /^args\.\w+(?: \|\| args\.\w+)*$/;

/** Commands that a text tells the agent to run although a rule always denies them. */
function commandsAgainstRules(
  lines: readonly SaidLine[],
  rules: readonly (Rule & { readonly source: string })[],
): readonly LinePair[] {
  const firm = rules.filter((rule) => stanceOf(rule) === "never" && (rule.when === undefined || FLAGS.test(rule.when)));
  return lines.flatMap((line) => {
    const command = RUN.exec(sentenceOf(line.text))?.[1];
    if (command === undefined) return [];
    const effects = lineEffects(command);
    const denied = firm.find(({ on, when }) =>
      effects.some(
        ({ name, args }) =>
          on.includes(name) && (when === undefined || when.split(" || ").some((flag) => args[flag.slice(5)] === true)),
      ),
    );
    if (denied === undefined || denied.source === line.source) return [];
    return [
      {
        kind: "contradiction" as const,
        first: line,
        second: ruleLine(denied),
        why: "the text says to run it, and the rule always denies it",
      },
    ];
  });
}
