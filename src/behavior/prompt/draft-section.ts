import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { PromptCut, PromptSection } from "../../base/words/prompt.ts";
import { cleanHeading, type OwnTags } from "./clean-content.ts";
import type { Selected } from "./contributor-registry.ts";
import type { Measure, SectionMeasures } from "./section-measures.ts";

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
export type Desk = { readonly counter: TokenCounter; readonly measures: SectionMeasures };

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
export function shrinkDraft(draft: Draft, tokens: number, desk: Desk): Draft | undefined {
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
