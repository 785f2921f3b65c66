import { Document, isMap, isSeq } from "yaml";
import type { ContributorTag } from "../../base/words/prompt.ts";
import { type Becomes, classifyStatement } from "./classify-statement.ts";
import type { InstructionFile } from "./instruction-files.ts";
import { readInstructions, type Section, type Unit } from "./instruction-lines.ts";
import { readClaudePermissions, readCodexRules } from "./permission-lists.ts";
import { type RuleDraft, slugOf } from "./rule-drafts.ts";

/** A line of a file and what it becomes. `ids` are its rules, or its contributor. */
export type ImportedLine = {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly becomes: Becomes;
  readonly ids: readonly string[];
};

export type ImportedRule = {
  readonly id: string;
  readonly from: string;
  readonly say: string;
  readonly draft: RuleDraft;
};

export type ImportedContributor = {
  readonly id: string;
  readonly heading: string;
  readonly tags: readonly ContributorTag[];
  /** Runtimes that read the file themselves. */
  readonly exceptRuntimes: readonly string[];
  readonly content: string;
};

export type ImportPlan = {
  readonly lines: readonly ImportedLine[];
  readonly rules: readonly ImportedRule[];
  readonly contributors: readonly ImportedContributor[];
};

/** `asDirective`: the person wants this line in the contract. Otherwise it stays in the text of its file. */
export type PlanChoices = { readonly classified: boolean; asDirective(line: ImportedLine): boolean };

/** What every line of the files becomes. Throws if a list of permissions cannot be read. */
export function planImport(files: readonly InstructionFile[], choices: PlanChoices): ImportPlan {
  const ids = new Set<string>();
  const parts = files.map((file) => (file.kind === "text" ? planText(file, ids, choices) : planList(file, ids)));
  return {
    lines: parts.flatMap(({ lines }) => lines),
    rules: parts.flatMap(({ rules }) => rules),
    contributors: parts.flatMap(({ contributors }) => contributors),
  };
}

function planList(file: InstructionFile, ids: Set<string>): ImportPlan {
  const listed = file.kind === "codex-rules" ? readCodexRules(file.text) : readClaudePermissions(file.text);
  const rules: ImportedRule[] = [];
  const lines = listed.map(({ line, text, becomes }): ImportedLine => {
    const made = becomes.kind === "rule" ? nameRules(file, line, text, becomes.drafts, ids) : [];
    rules.push(...made);
    return { file: file.name, line, text, becomes, ids: made.map(({ id }) => id) };
  });
  return { lines, rules, contributors: [] };
}

function planText(file: InstructionFile, ids: Set<string>, choices: PlanChoices): ImportPlan {
  const lines: ImportedLine[] = [];
  const rules: ImportedRule[] = [];
  const kept: { readonly section: Section; readonly units: readonly Unit[] }[] = [];
  for (const section of readInstructions(file.text)) {
    const tags = choices.classified ? tagsOf(section) : [];
    const units = section.units.filter((unit) => {
      let isTaken = unit.statements.length > 0;
      for (const { line, text } of unit.statements) {
        const becomes = scoped(classifyStatement(text), file);
        const made = becomes.kind === "rule" ? nameRules(file, line, text, becomes.drafts, ids) : [];
        rules.push(...made);
        const isText = becomes.kind === "contributor";
        const one = {
          file: file.name,
          line,
          text,
          becomes,
          ids: isText ? [contributorId(file, tags, section)] : made.map(({ id }) => id),
        };
        lines.push(one);
        if (isText || (becomes.kind === "directive" && !choices.asDirective(one))) isTaken = false;
      }
      return !isTaken && !unit.statements.some(({ text }) => classifyStatement(text).kind === "nothing");
    });
    if (units.length > 0) kept.push({ section, units });
  }
  const groups = Map.groupBy(kept, ({ section }) =>
    contributorId(file, choices.classified ? tagsOf(section) : [], section),
  );
  const contributors = [...groups].map(([id, sections]): ImportedContributor => {
    const tags = choices.classified && sections[0] !== undefined ? tagsOf(sections[0].section) : [];
    const body = sections.map(({ section, units }) => {
      const title = section.path.at(-1);
      return [...(title === undefined ? [] : [`### ${title}`]), units.map(({ raw }) => raw).join("\n")].join("\n\n");
    });
    const about =
      file.under !== ""
        ? `These apply to files in \`${file.under}/\`:`
        : file.globs === undefined
          ? ""
          : `These apply to files that match \`${file.globs}\`:`;
    const content = [about, ...body].filter((part) => part !== "").join("\n\n");
    return { id, heading: `From ${file.name}`, tags, exceptRuntimes: file.readers, content };
  });
  return { lines, rules, contributors };
}

/** A rule cannot be limited to a folder or a pattern of files, so such a line stays text. */
function scoped(becomes: Becomes, { under, globs }: InstructionFile): Becomes {
  if (becomes.kind !== "rule" || (under === "" && globs === undefined)) return becomes;
  return {
    kind: "contributor",
    note: `it is only about ${under === "" ? globs : `${under}/`}, and a rule applies everywhere`,
  };
}

/** Tags by the words of a heading, for agents whose sessions are classified. */
const TAGGED: readonly (readonly [RegExp, ContributorTag])[] = [
  [/\b(security|secrets|authentication)\b/i, { dimension: "domain", value: "security" }],
  [/\b(deploy(ment|ing)?|releases?|infrastructure|operations)\b/i, { dimension: "topic", value: "ops" }],
  [/\b(debugging|troubleshooting)\b/i, { dimension: "topic", value: "debugging" }],
];

function tagsOf({ path }: Section): readonly ContributorTag[] {
  const title = path.at(-1) ?? "";
  return TAGGED.flatMap(([pattern, tag]) => (pattern.test(title) ? [tag] : []));
}

function contributorId({ name }: InstructionFile, tags: readonly ContributorTag[], { path }: Section): string {
  const plain = name.replace(/[^\p{L}\p{N}._/-]+/gu, "-").replace(/^[./]+/, "");
  return `imported:${plain}${tags.length === 0 ? "" : `:${slugOf(path.at(-1) ?? "", 24)}`}`.slice(0, 100);
}

function nameRules(
  file: InstructionFile,
  line: number,
  text: string,
  drafts: readonly RuleDraft[],
  ids: Set<string>,
): readonly ImportedRule[] {
  // An entry of a permission list is no sentence.
  const said = text.replace(/^(deny|forbidden|prompt|ask): (.*)$/, "'$2' is on the list '$1'");
  return drafts.map((draft) => {
    const base = slugOf(text.replace(/^(deny|forbidden|prompt|ask): /, "no ")) || "rule";
    let id = base;
    for (let at = 2; ids.has(id); at++) id = `${base}-${at}`;
    ids.add(id);
    const from = `${file.name}:${line}`;
    return { id, from, say: `${said.replaceAll("{{", "{ {")} (${from})`, draft };
  });
}

/** One rule as it is written to YAML. */
export function ruleJson({ id, say, draft }: ImportedRule) {
  const { on, when, unless, require, effect } = draft;
  const entries = Object.entries({ id, on, when, unless, require, effect, say });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The rule file with all imported rules, each below its source. */
export function rulesText(rules: readonly ImportedRule[]): string {
  const actions = Object.assign({}, ...rules.map(({ draft }) => draft.actions ?? {}));
  const document = new Document({
    ...(Object.keys(actions).length === 0 ? {} : { actions }),
    rules: rules.map(ruleJson),
  });
  const list = document.get("rules");
  if (isSeq(list)) {
    for (const [at, item] of list.items.entries()) {
      const rule = rules[at];
      if (isMap(item) && rule !== undefined) item.commentBefore = ` ${rule.from}`;
    }
  }
  const head = [
    "# Written by `conduct import`. The named files stay the source: change them and import again.",
    "# To switch a rule off, write { pack: ./imported, off: [ID] } in the conduct.yaml next to this folder.",
    "",
  ];
  return `${head.join("\n")}${document.toString({ lineWidth: 0 })}`;
}
