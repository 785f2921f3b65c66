import type { DirectiveType } from "../../base/words/contract.ts";
import { readForm } from "../../behavior/contract/parse/directive-form.ts";
import { checksOf, draftsOf, gatesOf } from "./known-phrases.ts";
import type { RuleDraft } from "./rule-drafts.ts";

/** What a line becomes. A `contributor` is text for the agent; `note` says why it is nothing more. */
export type Becomes =
  | { readonly kind: "rule"; readonly drafts: readonly RuleDraft[] }
  | { readonly kind: "directive"; readonly type: DirectiveType; readonly text: string }
  | { readonly kind: "contributor"; readonly note?: string }
  | { readonly kind: "nothing"; readonly why: string };

const TEXT: Becomes = { kind: "contributor" };

/** Characters that a model reads and a person does not see. */
const UNSEEN = /(?![\t\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/u;

const LEAD =
  /^(?:(?:important|note|warning|caution|critical|rule|reminder)\s*[:!—-]\s*|please,? |(?:you|the agent|agents?|the assistant|claude|codex|gemini|copilot|cursor|ai assistants?|we) (?=must|should|may|can|are|never|always|do|don't))+/;
const FORBIDS: readonly (readonly [RegExp, RuleDraft["effect"]])[] = [
  [/^(?:must |should )?(?:never|under no circumstances)(?: ever)? /, "deny"],
  [
    /^(?:do not|don't|must not|mustn't|may not|cannot|can't|can not|are not allowed to|are forbidden to)(?: ever)? /,
    "deny",
  ],
  [/^(?:should not|shouldn't) /, "warn"],
];
/** Ends of a prohibition that leave the decision to a person. */
const UNLESS_ASKED =
  /,? (?:without (?:first )?(?:asking|checking with|consulting|(?:an? )?(?:explicit |my |prior |user |the user's )*(?:permission|approval|confirmation|consent|request))(?: (?:me|the user|the team|a human|anyone|us))?(?: first)?|unless (?:i|you are|you're|the user|a human|explicitly|specifically|we|it is|it was) ?(?:explicitly |specifically |have |has |been |to |am |was |were )*(?:ask|asks|asked|tell you to|tells you to|told|told to|request|requests|requested|approve|approves|approved|instructed)(?: (?:to|you to|for it|to do so|by the user|it|otherwise))*|unless asked(?: to)?|on your own|by yourself)$/;
/** Reasons and alternatives after a prohibition. */
const TAIL =
  /(?: \([^()]*\)|,? because .*| — .*| – .*| -- .*|; .*|,? use [^,;]* instead|, (?:it|they|this|that) .*|: (?:it|they|this|use) .*)$/;
const CONDITION =
  /\b(?:unless|except|only|when|if|until|while|other than|outside|for now|usually|generally|normally|most)\b/;
const ASK_FIRST =
  /^(?:always |must |should |must always )?(?:ask|check with|confirm with|get (?:approval|permission|confirmation)|request (?:approval|permission|confirmation))(?: (?:me|the user|us|a human|from (?:me|the user)|for (?:approval|permission|confirmation)))*(?: first)? before (?:you )?(?:ever )?/;
const BEFORE =
  /^(?:always |must |should |must always |make sure (?:that )?|ensure (?:that )?|be sure to )*(?:run |execute )?(.+?)(?: (?:must |should )?(?:pass|passes|succeed|succeeds|is green|are green|is clean|are run))? before (?:you )?(.+)$/;
const AFTER =
  /^before (?:you )?(.+?),? (?:always |you must |you should |must |please |make sure (?:that )?|ensure (?:that )?)*(?:run |execute )?(.+?)(?: (?:pass|passes|succeed|succeeds|is green|are green))?$/;
const WITHOUT =
  /^(.+?) (?:without|before|until) (?:first )?(?:running |having run |you have run |you've run )?(.+?)(?: (?:first|passing|pass|passes|have passed|has passed|succeeds))?$/;
const READ_FIRST =
  /^(?:always |must |should )?read (?:a |the |any |every |each |existing |whole |entire )*files?(?: (?:fully|completely|first))? before (?:you )?(?:edit(?:ing)?|modify(?:ing)?|chang(?:e|ing)|writ(?:e|ing)(?: to)?|touch(?:ing)?)(?: (?:it|them|files?|a file))?$/;

/** Classifies one sentence. Only a sentence that is understood as a whole becomes a rule. */
export function classifyStatement(text: string): Becomes {
  if (UNSEEN.test(text)) return { kind: "nothing", why: "it contains invisible characters" };
  const include = /^@(\S+)$/.exec(text);
  if (include !== null) return { kind: "nothing", why: `it includes ${include[1]}: import that file too` };
  const form = readForm(text.replace(/\.$/, ""));
  if (form !== undefined && form.fault === undefined) return { kind: "directive", type: form.type, text: form.text };
  const plain = sentenceOf(text);
  return ruleOf(plain) ?? replyDirective(plain) ?? TEXT;
}

/** Lower case outside of backticks, without lead words and the final stop. */
export function sentenceOf(text: string): string {
  const lower = text
    .replaceAll("’", "'")
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.toLowerCase()))
    .join("");
  return lower
    .replace(/[.!:;\s]+$/, "")
    .replace(LEAD, "")
    .trim();
}

function ruleOf(sentence: string): Becomes | undefined {
  if (READ_FIRST.test(sentence)) return rules([READ_BEFORE_WRITE]);
  const asked = ASK_FIRST.exec(sentence);
  if (asked !== null) return withEffect(draftsOf(imperative(untailed(sentence.slice(asked[0].length)))), "ask");
  for (const [start, effect] of FORBIDS) {
    const found = start.exec(sentence);
    if (found === null) continue;
    return forbidden(sentence.slice(found[0].length), effect);
  }
  const noun = /^no (direct )?(.+)$/.exec(sentence);
  if (noun !== null) return forbidden(`${NOUNS[noun[2] ?? ""] ?? ""}`, "deny");
  const passive = /^(.+?) (?:is|are) (?:strictly )?(?:forbidden|prohibited|not allowed|not permitted)$/.exec(sentence);
  if (passive !== null) return forbidden(imperative(passive[1] ?? ""), "deny");
  if (CONDITION.test(sentence)) return undefined;
  const before = BEFORE.exec(untailed(sentence));
  if (before !== null) return needed(before[1] ?? "", before[2] ?? "");
  const after = AFTER.exec(untailed(sentence));
  return after === null ? undefined : needed(after[2] ?? "", after[1] ?? "");
}

/** Nouns after `No`, as the activity that they forbid. */
const NOUNS: { readonly [noun: string]: string } = {
  "force push": "force push",
  "force pushes": "force push",
  "force pushing": "force push",
  "pushes to main": "push to main",
  "commits to main": "commit to main",
  "new dependencies without asking": "add new dependencies without asking",
  "new dependencies without approval": "add new dependencies without approval",
};

function forbidden(activity: string, effect: RuleDraft["effect"]): Becomes | undefined {
  if (activity === "") return undefined;
  const whole = untailed(activity);
  const free = whole.replace(UNLESS_ASKED, "");
  if (free !== whole) return withEffect(draftsOf(free), "ask");
  if (CONDITION.test(whole) && !WITHOUT.test(whole)) return undefined;
  const drafts = draftsOf(whole);
  if (drafts !== undefined) return withEffect(drafts, effect);
  const without = WITHOUT.exec(whole);
  return without === null ? undefined : needed(without[2] ?? "", without[1] ?? "", effect);
}

/** The sentence without its reason; unchanged if that could be a condition. */
function untailed(text: string): string {
  const tail = TAIL.exec(text);
  return tail === null || CONDITION.test(tail[0]) ? text : text.slice(0, tail.index);
}

/** `pushing to main` as `push to main`, for the verbs of known phrases. */
function imperative(text: string): string {
  return text
    .replace(
      /\b(push|commit|delet|install|publish|deploy|merg|add|edit|modify|chang|remov|rewrit|runn|us|touch|amend|skipp|disabl|bypass|discard)ing\b/g,
      (_, stem: string) =>
        ({
          delet: "delete",
          merg: "merge",
          chang: "change",
          remov: "remove",
          rewrit: "rewrite",
          runn: "run",
          us: "use",
          skipp: "skip",
          disabl: "disable",
        })[stem] ?? stem,
    )
    .replace(/\bcommitt\b/g, "commit")
    .replace(/committing/g, "commit");
}

/** Requires checks to have succeeded since the last change of a file. */
function needed(checks: string, gates: string, effect?: RuleDraft["effect"]): Becomes | undefined {
  const [needs, on] = [checksOf(checks), gatesOf(gates)];
  if (needs === undefined || on === undefined) return undefined;
  const calls = needs.map(({ call }) => ({ call, since: "workspace.change" }));
  const [only] = calls;
  const require = calls.length === 1 && only !== undefined ? only : { all: calls };
  const actions = Object.assign({}, ...needs.map((one) => one.actions ?? {}));
  return rules([
    { on: on.length === 1 ? (on[0] ?? "") : on, require, effect: effect === "deny" ? undefined : effect, actions },
  ]);
}

const READ_BEFORE_WRITE: RuleDraft = {
  on: ["write_file", "edit_file"],
  unless: "!has(args.path) || !fileExists(args.path)",
  require: {
    any: [
      { call: "read_file", same: ["path"] },
      { call: "write_file", same: ["path"] },
      { call: "edit_file", same: ["path"] },
    ],
    fresh: true,
  },
};

function withEffect(drafts: readonly RuleDraft[] | undefined, effect: RuleDraft["effect"]): Becomes | undefined {
  return drafts === undefined
    ? undefined
    : rules(drafts.map((one) => ({ ...one, effect: effect === "deny" ? undefined : effect })));
}

function rules(drafts: readonly RuleDraft[]): Becomes {
  return { kind: "rule", drafts };
}

const REPLIES = "(?:answers|replies|responses|explanations|messages|output|summaries)";
const MANNERS = "(?:short|brief|concise|terse|direct|to the point|succinct|minimal|focused)";

/** Wishes about how the agent talks: every prompt carries them, and no rule can check them. */
const WISHES: readonly (readonly [RegExp, (found: RegExpExecArray) => readonly [DirectiveType, string]])[] = [
  [
    new RegExp(`^(?:keep|make) (?:your |all )?(${REPLIES}) (${MANNERS})(?: and (${MANNERS}))?$`),
    ([, what, how, also]) => ["keep", `${what} ${how}${also === undefined ? "" : ` and ${also}`}`],
  ],
  [
    new RegExp(`^be (${MANNERS})(?: and (${MANNERS}))?(?: in (?:your |all )?(?:answers|replies|responses))?$`),
    ([, how, also]) => ["keep", `answers ${how}${also === undefined ? "" : ` and ${also}`}`],
  ],
  [
    /^(?:always )?(?:answer|reply|respond|talk to me|communicate)(?: to me)? in (english|german|french|spanish|portuguese|italian|dutch|polish|japanese|chinese|korean)$/,
    ([, name = ""]) => ["keep", `answers in ${name[0]?.toUpperCase()}${name.slice(1)}`],
  ],
  [
    new RegExp(
      `^(?:never|do not|don't|avoid) (?:use |using |include |including |add |adding |write |writing )?((?:[a-z]+ ){0,2}?(?:emojis?|apologies|flattery|filler|filler words|preambles?|pleasantries|status reports|summaries))(?: in (?:your |any )?${REPLIES})?$`,
    ),
    ([, what = ""]) => ["stop", what],
  ],
  [/^(?:never|do not|don't) (?:apologi[sz]e|say you are sorry)$/, () => ["stop", "apologies"]],
];

function replyDirective(sentence: string): Becomes | undefined {
  for (const [pattern, make] of WISHES) {
    const found = pattern.exec(sentence);
    if (found === null) continue;
    const [type, text] = make(found);
    return { kind: "directive", type, text };
  }
  return undefined;
}
