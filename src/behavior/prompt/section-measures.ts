import { RecentMap } from "../../base/kernel/bounded-map.ts";
import { sha256 } from "../../base/kernel/canonical-json.ts";
import { demoteHeadings } from "../../base/kernel/foreign-text.ts";
import { cutGraphemes, neutraliseTags, wellFormed } from "../../base/kernel/text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { PromptCut, PromptSection } from "../../base/words/prompt.ts";
import type { Selected } from "./contributor-registry.ts";

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
      left.set(id, `it has ${tokens} tokens; the budget is ${budget}`);
    } else fitted.set(id, shrunk);
    total += (shrunk?.measure.tokens ?? 0) - tokens;
  }
  const kept = [...fitted.values()];
  if (total <= budget) return { drafts: kept, left };
  return { drafts: kept, left, over: `the budget is ${budget} tokens; the protected sections need ${total}` };
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

const MAX_HEADING = 200;
const LEADING_HEADING = /^#{1,6}(?:[ \t]+([^\r\n\v\f\u0085\u2028\u2029]*))?(?=[\r\n\v\f\u0085\u2028\u2029]|$)/;

/** Tags of Conduct's own are neutralised in foreign text and kept in Conduct's. */
type OwnTags = "neutralise" | "keep";

/** `heading`: the one the content began with, if the section has none of its own. */
type CleanContent = { readonly heading?: string; readonly content: string };

/** Trims content, demotes its headings and closes its code blocks. */
export function cleanContent(given: string, titled: boolean, tags: OwnTags): CleanContent {
  const text = wellFormed(given).trim();
  const lead = titled ? null : LEADING_HEADING.exec(text);
  if (lead === null) return { content: demoteHeadings(text, tags) };
  // Trailing # marks close a heading.
  const heading = cleanHeading(lead[1] ?? "")?.replace(/(?:^| )#+$/, "") ?? "";
  return { heading: heading || undefined, content: demoteHeadings(text.slice(lead[0].length).trim(), tags) };
}

/** A heading on one line; `undefined` if it is blank. */
function cleanHeading(given: string): string | undefined {
  const line = wellFormed(given)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  if (line === "") return undefined;
  return neutraliseTags(line.length <= MAX_HEADING ? line : `${cutGraphemes(line, MAX_HEADING - 1)}…`);
}

/** A cut moves back to a line end if that costs at most this share. */
const NEAR = 0.2;

/** Limits of the content, including the marker of a cut. */
export type CutLimits = { readonly maxChars?: number; readonly maxTokens?: number; readonly tags: OwnTags };

/** `kept`: characters of the content, without the marker. */
type CutContent =
  | { readonly kind: "whole" }
  | {
      readonly kind: "cut";
      readonly text: string;
      readonly kept: number;
      readonly limit: "maxChars" | "maxTokens";
    };

/** Cuts content to its limits, at a whole character or a near line end, and adds a marker. */
export function cutContent(content: string, limits: CutLimits, counter: TokenCounter): CutContent {
  const { maxChars = Number.POSITIVE_INFINITY, maxTokens = Number.POSITIVE_INFINITY, tags } = limits;
  const counted = limits.maxTokens !== undefined;
  const fewEnough = !counted || counter.countUpTo(content, maxTokens).tokens <= maxTokens;
  if (content.length <= maxChars && fewEnough) return { kind: "whole" };

  const longest = marker(content.length, content.length);
  const roomy = longest.length * 2 <= maxChars && counter.count(longest) * 2 <= maxTokens;
  let chars = Math.min(maxChars, content.length);
  let tokens = maxTokens;
  const endByTokens = () => (counted ? counter.fit(content, tokens).end : content.length);
  const limit = endByTokens() < chars ? "maxTokens" : "maxChars";
  for (;;) {
    const kept = keep(content, Math.min(chars, endByTokens()), tags);
    if (kept === "") return { kind: "cut", text: "", kept: 0, limit };
    const text = `${close(kept, tags)}\n${roomy ? marker(kept.length, content.length) : "…"}`;
    const tooLong = text.length - maxChars;
    const tooMany = counted ? counter.count(text) - maxTokens : 0;
    if (tooLong <= 0 && tooMany <= 0) return { kind: "cut", text, kept: kept.length, limit };
    if (tooLong > 0) chars = Math.max(0, kept.length - tooLong);
    if (tooMany > 0) tokens = Math.max(0, Math.min(tokens, counter.count(kept)) - tooMany);
  }
}

function marker(kept: number, of: number): string {
  return `… [cut: kept ${grouped(kept)} of ${grouped(of)} characters]`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

function keep(content: string, end: number, tags: OwnTags): string {
  const whole = cutGraphemes(content, end);
  const line = whole.lastIndexOf("\n");
  const kept = line > 0 && line >= whole.length * (1 - NEAR) ? whole.slice(0, line) : whole;
  // Drops an incomplete tag of Conduct's own.
  return (tags === "keep" ? kept.replace(/(?:^|\n)<[^<>\n]*$/, "") : kept).trimEnd();
}

/** A cut may have made a heading or a tag, and may have left a block open. */
function close(kept: string, tags: OwnTags): string {
  const text = demoteHeadings(kept, tags);
  if (tags === "neutralise") return text;
  const open: string[] = [];
  for (const [, slash, name = ""] of text.matchAll(/^<(\/?)([A-Za-z_]+)\b[^<>\n]*>$/gm)) {
    if (neutraliseTags(`<${name}`) === `<${name}`) continue;
    if (slash === "") open.push(name);
    else if (open.at(-1) === name) open.pop();
  }
  return [text, ...open.reverse().map((name) => `</${name}>`)].join("\n");
}

export const SEPARATOR = "\n\n";

/** `tokens` includes the separator after the section. */
type Measure = { readonly tokens: number; readonly hash: string; readonly lines: number };

type Counted = { readonly measures: RecentMap<Measure>; readonly cuts: RecentMap<CutContent> };

/** Caches counts and cuts by text, so that an unchanged prompt is not counted again. Bounded. */
export class SectionMeasures {
  readonly #clean = new RecentMap<CleanContent>();
  readonly #byCounter = new WeakMap<TokenCounter, Counted>();

  clean(content: string, titled: boolean, tags: OwnTags): CleanContent {
    return this.#clean.recall(`${titled ? "t" : "u"}${tags} ${content}`, () => cleanContent(content, titled, tags));
  }

  measure(text: string, counter: TokenCounter): Measure {
    return this.#counted(counter).measures.recall(text, () => ({
      tokens: counter.count(text + SEPARATOR),
      hash: shortHash(text),
      lines: text.split("\n").length,
    }));
  }

  cut(content: string, limits: CutLimits, counter: TokenCounter): CutContent {
    const { maxChars, maxTokens, tags } = limits;
    if (maxChars === undefined && maxTokens === undefined) return { kind: "whole" };
    return this.#counted(counter).cuts.recall(`${maxChars} ${maxTokens} ${tags} ${content}`, () =>
      cutContent(content, limits, counter),
    );
  }

  #counted(counter: TokenCounter): Counted {
    const known = this.#byCounter.get(counter);
    if (known !== undefined) return known;
    const made = { measures: new RecentMap<Measure>(), cuts: new RecentMap<CutContent>() };
    this.#byCounter.set(counter, made);
    return made;
  }
}

export function shortHash(text: string): string {
  return sha256(text).slice(0, 20);
}
