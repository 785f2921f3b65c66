import {
  checkOptions,
  having,
  number,
  object,
  oneOf,
  optional,
  type ShapesOf,
} from "../../base/kernel/check-options.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type {
  BuiltPrompt,
  BuiltSection,
  ContributorContext,
  PromptCut,
  PromptLayout,
  TraceEntry,
} from "../../base/words/prompt.ts";
import { askContributor } from "./ask-contributor.ts";
import type { PromptContributorRegistry, Selected } from "./contributor-registry.ts";
import { type Draft, draftSection } from "./draft-section.ts";
import { type Fitted, fitBudget, isProtected } from "./fit-budget.ts";
import { isReservedHeading } from "./reserved/reserved-headings.ts";
import { SEPARATOR, SectionMeasures, shortHash } from "./section-measures.ts";

/** `budget` is in tokens of the whole prompt; none when left out. `measures` is kept from prompt to prompt. */
export type BuildOptions = {
  readonly counter: TokenCounter;
  readonly layout?: PromptLayout;
  readonly budget?: number;
  readonly measures?: SectionMeasures;
};

/**
 * What the agent is told in this session: tags select, the prompt mode and `shouldContribute` leave out, the rest is asked, cut
 * to its limits and put in order. Equal input gives equal bytes; a contributor that fails costs its own section only.
 */
export function buildAgentPrompt(
  registry: PromptContributorRegistry,
  context: ContributorContext,
  options: BuildOptions,
): BuiltPrompt {
  checkOptions("buildAgentPrompt", options, KEYS);
  const { counter, layout = "cache", budget = Number.POSITIVE_INFINITY, measures = new SectionMeasures() } = options;
  if (!(budget > 0)) throw new RangeError(`the budget of a prompt is a number of tokens above 0, not ${budget}`);
  freeze(context);
  const selection = registry.select(context, layout);
  const left = new Map<string, TraceEntry>();
  const cuts: PromptCut[] = [];
  const drafts = selection.flatMap((selected) => {
    const answer = askContributor(selected, context);
    if (answer.kind === "none") {
      left.set(selected.id, entry(selected.id, answer.reason, answer.detail));
      return [];
    }
    const draft = draftSection(selected, answer.section, { counter, measures });
    if (selected.source !== "builtin" && draft.heading !== undefined && isReservedHeading(draft.heading)) {
      left.set(selected.id, entry(selected.id, "failed", reservedText(draft.heading)));
      return [];
    }
    if (draft.text !== "") return [draft];
    if (draft.cut !== undefined) cuts.push(draft.cut);
    left.set(selected.id, entry(selected.id, "empty", draft.cut && `${draft.cut.limit} leaves nothing of it`));
    return [];
  });
  const fitted = fitBudget(drafts, budget, { counter, measures });
  const trace = selection.map((selected) => left.get(selected.id) ?? traceOf(selected, fitted));
  cuts.push(...fitted.drafts.flatMap(({ cut }) => (cut === undefined ? [] : [cut])));
  return { ...assemble(fitted.drafts), cuts, trace };
}

function reservedText(heading: string): string {
  return `the heading '${heading}' belongs to one of Conduct's own sections; give it another one`;
}

function entry(contributor: string, reason: TraceEntry["reason"], detail: string | undefined): TraceEntry {
  return detail === undefined ? { contributor, reason } : { contributor, reason, detail };
}

function traceOf({ id, because }: Selected, { left, over }: Fitted): TraceEntry {
  const reason = left.get(id);
  if (reason !== undefined) return entry(id, "over-budget", reason);
  return entry(id, "included", over !== undefined && isProtected(id) ? `${because}; ${over}` : because);
}

/** Here, and only here, sections become text. */
function assemble(drafts: readonly Draft[]): Omit<BuiltPrompt, "cuts" | "trace"> {
  const sections: BuiltSection[] = [];
  const provenance: string[] = [];
  for (const { selected, heading, text, measure } of drafts) {
    if (sections.length > 0) provenance.push("");
    const from = provenance.length + 1;
    for (let line = 0; line < measure.lines; line++) provenance.push(selected.id);
    sections.push({
      contributor: selected.id,
      source: selected.source,
      zone: selected.zone,
      priority: selected.priority,
      heading,
      text,
      tokens: measure.tokens,
      hash: measure.hash,
      lines: { from, to: provenance.length },
    });
  }
  const turn = sections.findIndex(({ zone }) => zone === "turn");
  const prefix = turn < 0 ? sections : sections.slice(0, turn);
  const text = textOf(sections);
  const hash = shortHash(text);
  return {
    text,
    sections,
    provenance,
    tokens: tokensOf(sections),
    hash,
    prefixHash: turn < 0 ? hash : shortHash(textOf(prefix)),
    prefixTokens: tokensOf(prefix),
  };
}

function textOf(sections: readonly BuiltSection[]): string {
  return sections.map(({ text }) => text).join(SEPARATOR);
}

function tokensOf(sections: readonly BuiltSection[]): number {
  return sections.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** One contributor must not be able to change what the next one is told. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

const KEYS: ShapesOf<BuildOptions> = {
  counter: having("count"),
  layout: optional(oneOf("cache", "priority")),
  budget: optional(number),
  measures: optional(object),
};
