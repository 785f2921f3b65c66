import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { PromptCut, PromptSection } from "../../base/words/prompt.ts";
import { cleanHeading, type OwnTags, type Measure, type SectionMeasures } from "./section-measures.ts";
import type { Selected } from "./contributor-registry.ts";

/** Never cut and never left out, whatever the budget. */
const PROTECTED: ReadonlySet<string> = new Set(["builtin:identity", "builtin:contract", "builtin:safety"]);
/** A cut goes down to a multiple of this, so that a token more elsewhere does not change it. */
const STEP = 16;
/** As much again goes to the marker of the cut. */
const LEAST = 2 * STEP;

/** `left` are those left out, with the reason; `over` says that what is never cut is too much by itself. */
export type Fitted = {
  readonly drafts: readonly Draft[];
  readonly left: ReadonlyMap<string, string>;
  readonly over?: string;
};

/** The sections within a budget of tokens: the lowest priority shrinks first, and goes when too little of it would stay. */
export function fitBudget(drafts: readonly Draft[], budget: number, desk: Desk): Fitted {
  let total = tokensOf(drafts);
  if (total <= budget) return { drafts, left: new Map() };
  const fitted = new Map(drafts.map((draft) => [draft.selected.id, draft]));
  const left = new Map<string, string>();
  for (const draft of drafts.filter(({ selected }) => !isProtected(selected.id)).sort(lowestFirst)) {
    if (total <= budget) break;
    const { id } = draft.selected;
    const { tokens } = draft.measure;
    const shrunk = shrinkTo(draft, tokens - (total - budget), desk);
    if (shrunk === undefined) {
      fitted.delete(id);
      left.set(id, `it has ${tokens} tokens; the prompt may have ${budget}`);
    } else fitted.set(id, shrunk);
    total += (shrunk?.measure.tokens ?? 0) - tokens;
  }
  const kept = [...fitted.values()];
  if (total <= budget) return { drafts: kept, left };
  return { drafts: kept, left, over: `the prompt may have ${budget} tokens; what is never cut has ${total}` };
}

export function isProtected(id: string): boolean {
  return PROTECTED.has(id);
}

function tokensOf(drafts: readonly Draft[]): number {
  return drafts.reduce((sum, { measure }) => sum + measure.tokens, 0);
}

function shrinkTo(draft: Draft, tokens: number, desk: Desk): Draft | undefined {
  const heading = draft.heading === undefined ? 0 : desk.measures.measure(`## ${draft.heading}`, desk.counter).tokens;
  for (let room = Math.floor((tokens - heading) / STEP) * STEP; room >= LEAST; room -= STEP) {
    const shrunk = shrinkDraft(draft, room, desk);
    if (shrunk === undefined || shrunk.measure.tokens <= tokens) return shrunk;
  }
  return undefined;
}

function lowestFirst({ selected: a }: Draft, { selected: b }: Draft): number {
  return b.priority - a.priority || (a.id < b.id ? 1 : -1);
}

/** A section on its way into the prompt. `content` is the whole of it, `text` what is shown. */
export type Draft = {
  readonly selected: Selected;
  readonly heading?: string;
  readonly content: string;
  readonly maxChars?: number;
  readonly maxTokens?: number;
  readonly text: string;
  readonly measure: Measure;
  readonly cut?: PromptCut;
};

/** Counts and cuts for one prompt. */
type Desk = { readonly counter: TokenCounter; readonly measures: SectionMeasures };

/** The section, clean and within its own limits. Its text is empty when nothing of it is left. */
export function draftSection(selected: Selected, section: PromptSection, desk: Desk): Draft {
  const { maxChars, maxTokens } = section;
  const own = section.heading === undefined ? undefined : cleanHeading(section.heading);
  const clean = desk.measures.clean(section.content, own !== undefined, tagsOf(selected));
  const heading = own ?? clean.heading;
  const whole = {
    selected,
    content: clean.content,
    heading,
    maxChars,
    maxTokens,
  };
  const cut = desk.measures.cut(clean.content, { ...limitsOf(whole), tags: tagsOf(selected) }, desk.counter);
  if (cut.kind === "whole") return show(whole, clean.content, desk);
  return {
    ...show(whole, cut.text, desk),
    cut: { contributor: selected.id, limit: cut.limit, kept: cut.kept, of: clean.content.length },
  };
}

/** The same with at most so many tokens of content; `undefined` when that leaves nothing. */
function shrinkDraft(draft: Draft, tokens: number, desk: Desk): Draft | undefined {
  const { selected, content, maxTokens = tokens } = draft;
  const limits = { ...limitsOf(draft), maxTokens: Math.min(tokens, maxTokens), tags: tagsOf(selected) };
  const cut = desk.measures.cut(content, limits, desk.counter);
  if (cut.kind === "whole") return draft;
  if (cut.kept === 0) return undefined;
  return {
    ...show(draft, cut.text, desk),
    cut: { contributor: selected.id, limit: "budget", kept: cut.kept, of: content.length },
  };
}

function show<T extends { readonly heading?: string }>(draft: T, content: string, { measures, counter }: Desk) {
  const text = content === "" || draft.heading === undefined ? content : `## ${draft.heading}\n\n${content}`;
  return { ...draft, text, measure: measures.measure(text, counter) };
}

function limitsOf({ maxChars, maxTokens }: Pick<Draft, "maxChars" | "maxTokens">) {
  return { maxChars, maxTokens };
}

/** Only the built-in contributors write Conduct's own tags; what they put between them they have quoted. */
function tagsOf({ source }: Selected): OwnTags {
  return source === "builtin" ? "keep" : "neutralise";
}
