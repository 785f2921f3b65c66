import { nearest } from "../../../base/kernel/nearest.ts";
import type { LintFinding } from "./lint-prompt.ts";
import { proseOf, type ToldText } from "./lint-text.ts";

/** All that a text may name: tools, actions, arguments. `closed` where the agent says which tools it has. */
export type KnownNames = { readonly known: ReadonlySet<string>; readonly closed: boolean };

/** How names of tools usually begin. */
const VERBS: ReadonlySet<string> = new Set(
  `add append apply ask browse call cancel check clear close commit copy create delete deploy describe download edit exec execute
  export fetch find get grep import insert invoke list load look lookup make merge move notify open patch ping post publish pull push
  put query read recall record remember remove rename replace reply report request reset resolve restart review run save schedule
  search send set show start stop store submit summarize sync test transfer translate trigger undo update upload use validate verify
  view wait web write`.split(/\s+/),
);
/** Sections that name files, skills and tags instead. */
const NAMES_OTHERS: ReadonlySet<string> = new Set(["builtin:skills", "builtin:docs", "builtin:reply-tags"]);

const SPAN = /`([A-Za-z][\w-]*)(?:\(\))?`/g;
/** Not within a path, a variable, a tag, an assignment or a file's name. */
const BARE = /(?<![\w`$./@<{\\-])([a-z][a-z0-9]*(?:__?[a-z0-9]+)+)(?:\(\))?(?![\w`/=}>-]|[.:]\w)/g;
const BEFORE = /\b(?:call|calling|calls|invoke|invoking|tools?)\s+(?:the\s+)?[`"'“]?$/i;
const AFTER = /^[`"'”]?(?:\(\))?[`"'”]?\s+tools?\b/i;

/** Tools that a text tells the agent to use and that it has not; each once. */
export function lintToolNames({ id, text }: ToldText, { known, closed }: KnownNames): readonly LintFinding[] {
  if (NAMES_OTHERS.has(id)) return [];
  const prose = proseOf(text);
  const found = new Map<string, LintFinding>();
  for (const pattern of [SPAN, BARE]) {
    for (const match of prose.matchAll(pattern)) {
      const [whole, word = ""] = match;
      const at = match.index;
      const called =
        BEFORE.test(prose.slice(Math.max(0, at - 40), at)) ||
        AFTER.test(prose.slice(at + whole.length, at + whole.length + 12));
      if (isKnown(word, known) || found.get(word)?.level === "error") continue;
      const finding = judge(id, word, called, known, closed);
      if (finding !== undefined && (finding.level === "error" || !found.has(word))) found.set(word, finding);
    }
  }
  return [...found.values()];
}

function judge(
  id: string,
  word: string,
  called: boolean,
  known: ReadonlySet<string>,
  closed: boolean,
): LintFinding | undefined {
  const shaped = word.includes("_") && word !== word.toUpperCase();
  const slip = slipOf(word, known);
  const looks = shaped ? called || VERBS.has(word.split("_")[0] ?? "") || /\w__\w/.test(word) : called;
  if (!looks && slip === undefined) return undefined;
  const meant = slip ?? nearest(word, known);
  const otherwise = "declare the tool, or say it without a name";
  return {
    level: shaped && called && closed ? "error" : "warning",
    rule: "unknown-tool",
    contributor: id,
    quote: word,
    message: `'${word}' is no tool of this agent`,
    fix: meant === undefined ? otherwise : `did you mean '${meant}'? Otherwise ${otherwise}`,
  };
}

/** Runtimes show Conduct's tools and those of servers under longer names. */
function isKnown(word: string, known: ReadonlySet<string>): boolean {
  return known.has(word) || known.has(word.replace(/^mcp__[^_]+(?:_[^_]+)*__/, ""));
}

/** The known name that this is one slip away from. */
function slipOf(word: string, known: ReadonlySet<string>): string | undefined {
  if (word.length < 5) return undefined;
  return [...known].find((name) => isOneSlip(word, name));
}

/** One letter more, less or other, or two that changed places. */
function isOneSlip(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
}
