import {
  checkOptions,
  having,
  number,
  object,
  oneOf,
  optional,
  type ShapesOf,
} from "../../base/kernel/check-options.ts";
import { describeValue, errorText, isPromise } from "../../base/kernel/error-text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type {
  BuiltPrompt,
  BuiltSection,
  ContributorContext,
  ContributorSource,
  PromptCut,
  PromptLayout,
  PromptMode,
  PromptSection,
  TraceEntry,
  TraceReason,
} from "../../base/words/prompt.ts";
import type { PromptContributorRegistry, Selected } from "./contributor-registry.ts";
import { isReservedHeading } from "./reserved-headings.ts";
import {
  type Draft,
  draftSection,
  type Fitted,
  fitBudget,
  isProtected,
  SEPARATOR,
  SectionMeasures,
  shortHash,
} from "./section-measures.ts";

/** The sections of each mode. `minimal`, which subagents get, also keeps what the agent's definition says. */
const KEPT: Readonly<Record<Exclude<PromptMode, "full">, ReadonlySet<string>>> = {
  minimal: new Set(["builtin:identity", "builtin:contract", "builtin:soul", "builtin:safety", "builtin:tools"]),
  none: new Set(["builtin:identity", "builtin:contract"]),
};

const OWN: ReadonlySet<ContributorSource> = new Set(["agent", "config"]);

type Answer =
  | { readonly kind: "section"; readonly section: PromptSection }
  | { readonly kind: "none"; readonly reason: Exclude<TraceReason, "included" | "tag-miss">; readonly detail?: string };

/** A contributor's section, or why there is none. Contributors are foreign code; a failure costs only its own section. */
function askContributor(selected: Selected, context: ContributorContext): Answer {
  const { contributor } = selected;
  const { promptMode: mode } = context;
  const kept = mode === "full" || KEPT[mode].has(selected.id) || (mode === "minimal" && OWN.has(selected.source));
  if (!kept) return { kind: "none", reason: "vetoed", detail: `prompt mode ${mode}` };
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

/** Must be a boolean: a promise would always be true. */
function readVote(returned: unknown): boolean {
  if (typeof returned === "boolean") return returned;
  throw new TypeError(`shouldContribute returned ${describeValue(returned)}; it must return true or false`);
}

function readSection(returned: unknown): PromptSection | undefined {
  if (returned === undefined) return undefined;
  if (typeof returned !== "object" || returned === null || isPromise(returned)) {
    throw new TypeError(`contribute returned ${describeValue(returned)}; it must return { content } or nothing`);
  }
  const { heading, content, maxChars, maxTokens }: { readonly [key: string]: unknown } = { ...returned };
  if (typeof content !== "string") throw new TypeError(`its content is ${describeValue(content)}; it must be a text`);
  if (heading !== undefined && typeof heading !== "string") {
    throw new TypeError(`its heading is ${describeValue(heading)}; it must be a text, or left out`);
  }
  if (content.trim() === "") return undefined;
  return { content, heading, maxChars: readLimit("maxChars", maxChars), maxTokens: readLimit("maxTokens", maxTokens) };
}

function readLimit(name: string, limit: unknown): number | undefined {
  if (limit === undefined) return undefined;
  if (typeof limit === "number" && limit >= 1) return Math.floor(limit);
  throw new TypeError(`its ${name} is ${describeValue(limit)}; it must be a number of at least 1, or left out`);
}

/** `budget`: tokens of the whole prompt, unlimited by default. `measures`: a cache to reuse between prompts. */
export type BuildOptions = {
  readonly counter: TokenCounter;
  readonly layout?: PromptLayout;
  readonly budget?: number;
  readonly measures?: SectionMeasures;
};

/**
 * Builds the prompt of a session: contributors are selected by tags, filtered by the prompt mode and `shouldContribute`, cut to
 * their limits and ordered. Equal input gives equal bytes.
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
    const leaveOut = (reason: TraceEntry["reason"], detail: string | undefined) => {
      left.set(selected.id, { contributor: selected.id, reason, detail });
      return [];
    };
    const answer = askContributor(selected, context);
    if (answer.kind === "none") return leaveOut(answer.reason, answer.detail);
    const draft = draftSection(selected, answer.section, { counter, measures });
    const { heading } = draft;
    if (selected.source !== "builtin" && heading !== undefined && isReservedHeading(heading)) {
      const belongs = `the heading '${heading}' is reserved for one of Conduct's own sections; give it another one`;
      return leaveOut("failed", belongs);
    }
    if (draft.text !== "") return [draft];
    if (draft.cut !== undefined) cuts.push(draft.cut);
    return leaveOut("empty", draft.cut && `${draft.cut.limit} is too small to show any of it`);
  });
  const fitted = fitBudget(drafts, budget, { counter, measures });
  const trace = selection.map((selected) => left.get(selected.id) ?? traceOf(selected, fitted));
  cuts.push(...fitted.drafts.flatMap(({ cut }) => (cut === undefined ? [] : [cut])));
  return { ...assemble(fitted.drafts), cuts, trace };
}

function traceOf({ id, because }: Selected, { left, over }: Fitted): TraceEntry {
  const detail = left.get(id);
  if (detail !== undefined) return { contributor: id, reason: "over-budget", detail };
  const why = over !== undefined && isProtected(id) ? `${because}; ${over}` : because;
  return { contributor: id, reason: "included", detail: why };
}

/** Joins the sections to text; nothing else does. */
function assemble(drafts: readonly Draft[]): Omit<BuiltPrompt, "cuts" | "trace"> {
  const sections: BuiltSection[] = [];
  const provenance: string[] = [];
  for (const { selected, heading, text, measure } of drafts) {
    if (sections.length > 0) provenance.push("");
    const from = provenance.length + 1;
    for (let line = 0; line < measure.lines; line++) provenance.push(selected.id);
    const { id, source, zone, priority } = selected;
    const lines = { from, to: provenance.length };
    const { tokens, hash } = measure;
    sections.push({ contributor: id, source, zone, priority, heading, text, tokens, hash, lines });
  }
  const turn = sections.findIndex(({ zone }) => zone === "turn");
  const prefix = turn < 0 ? sections : sections.slice(0, turn);
  const text = textOf(sections);
  const hash = shortHash(text);
  const prefixHash = turn < 0 ? hash : shortHash(textOf(prefix));
  return { text, sections, provenance, tokens: tokensOf(sections), hash, prefixHash, prefixTokens: tokensOf(prefix) };
}

function textOf(sections: readonly BuiltSection[]): string {
  return sections.map(({ text }) => text).join(SEPARATOR);
}

function tokensOf(sections: readonly BuiltSection[]): number {
  return sections.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** No contributor may change the context of the next one. */
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
