import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { PromptCut, PromptSection } from "../../base/words/prompt.ts";
import type { Selected } from "./contributor-registry.ts";
import { cleanHeading, type Measure, type OwnTags, type SectionMeasures } from "./section-measures.ts";

/** Never cut and never left out. */
const PROTECTED: ReadonlySet<string> = new Set(["builtin:identity", "builtin:contract", "builtin:safety"]);

/** Cuts are multiples of this, so that one more token elsewhere does not change them. */
const STEP = 16;

/** Half of it goes to the marker of the cut. */
const LEAST = 2 * STEP;

/** `left`: sections left out, with the reason. `over`: the protected sections alone exceed the budget. */
export type Fitted = {
  readonly drafts: readonly Draft[];
  readonly left: ReadonlyMap<string, string>;
  readonly over?: string;
};

/** Fits sections into a token budget: the lowest priority is cut first, and left out if too little remains. */
export function fitBudget(drafts: readonly Draft[], budget: number, measuring: Measuring): Fitted {
  let total = drafts.reduce((sum, { measure }) => sum + measure.tokens, 0);
  if (total <= budget) return { drafts, left: new Map() };
  const fitted = new Map(drafts.map((draft) => [draft.selected.id, draft]));
  const left = new Map<string, string>();
  for (const draft of drafts.filter(({ selected }) => !isProtected(selected.id)).sort(lowestFirst)) {
    if (total <= budget) break;
    const { id } = draft.selected;
    const { tokens } = draft.measure;
    const shrunk = shrinkTo(draft, tokens - (total - budget), measuring);
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

function shrinkTo(draft: Draft, tokens: number, measuring: Measuring): Draft | undefined {
  const heading =
    draft.heading === undefined ? 0 : measuring.measures.measure(`## ${draft.heading}`, measuring.counter).tokens;
  for (let content = Math.floor((tokens - heading) / STEP) * STEP; content >= LEAST; content -= STEP) {
    const shrunk = shrinkDraft(draft, content, measuring);
    if (shrunk === undefined || shrunk.measure.tokens <= tokens) return shrunk;
  }
  return undefined;
}

function lowestFirst({ selected: a }: Draft, { selected: b }: Draft): number {
  return b.priority - a.priority || (a.id < b.id ? 1 : -1);
}

/** A section before the prompt is assembled. `content` is uncut, `text` is what is shown. */
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

type Measuring = { readonly counter: TokenCounter; readonly measures: SectionMeasures };

/** Cleans a section and cuts it to its own limits. Its text is empty if nothing is left. */
export function draftSection(selected: Selected, section: PromptSection, measuring: Measuring): Draft {
  const { maxChars, maxTokens } = section;
  const own = section.heading === undefined ? undefined : cleanHeading(section.heading);
  const clean = measuring.measures.clean(section.content, own !== undefined, tagsOf(selected));
  const { content } = clean;
  const whole = { selected, content, heading: own ?? clean.heading, maxChars, maxTokens };
  const cut = measuring.measures.cut(content, { maxChars, maxTokens, tags: tagsOf(selected) }, measuring.counter);
  if (cut.kind === "whole") return show(whole, content, measuring);
  const { limit, kept } = cut;
  return { ...show(whole, cut.text, measuring), cut: { contributor: selected.id, limit, kept, of: content.length } };
}

/** Cuts a draft to a number of tokens of content; `undefined` if nothing is left. */
function shrinkDraft(draft: Draft, tokens: number, measuring: Measuring): Draft | undefined {
  const { selected, content, maxChars, maxTokens = tokens } = draft;
  const limits = { maxChars, maxTokens: Math.min(tokens, maxTokens), tags: tagsOf(selected) };
  const cut = measuring.measures.cut(content, limits, measuring.counter);
  if (cut.kind === "whole") return draft;
  const { kept } = cut;
  if (kept === 0) return undefined;
  return {
    ...show(draft, cut.text, measuring),
    cut: { contributor: selected.id, limit: "budget", kept, of: content.length },
  };
}

function show<T extends { readonly heading?: string }>(draft: T, content: string, { measures, counter }: Measuring) {
  const text = content === "" || draft.heading === undefined ? content : `## ${draft.heading}\n\n${content}`;
  return { ...draft, text, measure: measures.measure(text, counter) };
}

/** Only built-in contributors write Conduct's own tags; they quote foreign text inside them. */
function tagsOf({ source }: Selected): OwnTags {
  return source === "builtin" ? "keep" : "neutralise";
}
