import {
  checkOptions,
  having,
  number,
  object,
  oneOf,
  optional,
  type ShapesOf,
} from "../../base/kernel/check-options.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type {
  BuiltPrompt,
  BuiltSection,
  ContributorContext,
  PromptCut,
  PromptLayout,
  PromptMode,
  PromptSection,
  TraceEntry,
  TraceReason,
} from "../../base/words/prompt.ts";
import type { PromptContributorRegistry, Selected } from "./contributor-registry.ts";
import { type Fitted, fitBudget, isProtected, type Draft, draftSection } from "./section-drafts.ts";
import { isReservedHeading } from "./reserved-headings.ts";
import { SEPARATOR, SectionMeasures, shortHash } from "./section-measures.ts";

/** What a mode keeps; `minimal` keeps an agent's own sections too, because they are its role. */
const KEPT: Readonly<Record<Exclude<PromptMode, "full">, ReadonlySet<string>>> = {
  minimal: new Set(["builtin:identity", "builtin:contract", "builtin:soul", "builtin:safety", "builtin:tools"]),
  none: new Set(["builtin:identity", "builtin:contract"]),
};

type Answer =
  | { readonly kind: "section"; readonly section: PromptSection }
  | { readonly kind: "none"; readonly reason: Exclude<TraceReason, "included" | "tag-miss">; readonly detail?: string };

/** A selected contributor's section, or why there is none. It is foreign code: whatever it does, only its own section is lost. */
function askContributor(selected: Selected, context: ContributorContext): Answer {
  const { contributor } = selected;
  if (!isKept(selected, context.promptMode)) {
    return { kind: "none", reason: "vetoed", detail: `prompt mode ${context.promptMode}` };
  }
  try {
    if (contributor.shouldContribute !== undefined && !readVote(contributor.shouldContribute(context))) {
      return { kind: "none", reason: "vetoed" };
    }
    const section = readSection(contributor.contribute(context));
    return section === undefined ? { kind: "none", reason: "empty" } : { kind: "section", section };
  } catch (error) {
    return { kind: "none", reason: "failed", detail: errorText(error) };
  }
}

function isKept({ id, source }: Selected, mode: PromptMode): boolean {
  return mode === "full" || KEPT[mode].has(id) || (mode === "minimal" && source === "agent");
}

/** It must answer yes or no: a promise would be true whatever it says. */
function readVote(returned: unknown): boolean {
  if (typeof returned === "boolean") return returned;
  throw new TypeError(`shouldContribute returned ${describe(returned)}; it returns true or false`);
}

function readSection(returned: unknown): PromptSection | undefined {
  if (returned === undefined) return undefined;
  if (typeof returned !== "object" || returned === null || isThenable(returned)) {
    throw new TypeError(`contribute returned ${describe(returned)}; it returns { content } or nothing`);
  }
  const { heading, content, maxChars, maxTokens }: { readonly [key: string]: unknown } = { ...returned };
  if (typeof content !== "string") throw new TypeError(`its content is ${describe(content)}; it must be a text`);
  if (heading !== undefined && typeof heading !== "string") {
    throw new TypeError(`its heading is ${describe(heading)}; it must be a text, or left out`);
  }
  if (content.trim() === "") return undefined;
  return {
    content,
    heading,
    maxChars: maxChars === undefined ? undefined : readLimit("maxChars", maxChars),
    maxTokens: maxTokens === undefined ? undefined : readLimit("maxTokens", maxTokens),
  };
}

function readLimit(name: string, limit: unknown): number {
  if (typeof limit === "number" && limit >= 1) return Math.floor(limit);
  throw new TypeError(`its ${name} is ${describe(limit)}; it must be a number of at least 1, or left out`);
}

function describe(value: unknown): string {
  if (isThenable(value)) {
    value.then(undefined, () => {});
    return "a promise";
  }
  if (value === null || value === undefined || typeof value === "number") return String(value);
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

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
