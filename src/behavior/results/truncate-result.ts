import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { Part, ToolResult, Truncation } from "../../base/words/result.ts";
import { estimateTokens } from "./counter.ts";
import { partText } from "./part-text.ts";
import { type ToolResultTruncator, truncatorFor } from "./truncator.ts";
import { resultBudget, type TurnResultState } from "./turn-result-state.ts";

/** Every part gets up to this many tokens before the rest goes by size: a short error beside a long log stays whole. */
const FIRST = 256;

/**
 * Shares a budget among parts, in proportion to their sizes, so that no part gets more than it needs
 * and the shares never add up to more than the budget.
 */
export function shareBudget(sizes: readonly number[], budget: number): readonly number[] {
  const each = Math.min(FIRST, Math.floor(budget / Math.max(1, sizes.filter((size) => size > 0).length)));
  const shares = sizes.map((size) => Math.min(size, each));
  let left = budget - sum(shares);
  // What a part does not need goes to the others; every round satisfies at least one part or is the last.
  for (let round = 0; round < sizes.length && left > 0; round++) {
    const wants = sizes.map((size, i) => size - (shares[i] ?? 0));
    const wanted = sum(wants);
    if (wanted === 0) break;
    const given = wants.map((want, i) => Math.min(want, Math.floor((left * (sizes[i] ?? 0)) / sumOpen(sizes, wants))));
    const spent = sum(given);
    if (spent === 0) break;
    for (const [i, more] of given.entries()) shares[i] = (shares[i] ?? 0) + more;
    left -= spent;
  }
  return shares;
}

function sumOpen(sizes: readonly number[], wants: readonly number[]): number {
  return sum(sizes.filter((_, i) => (wants[i] ?? 0) > 0));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

export type TruncateResultOptions = {
  readonly tool: string;
  readonly counter: TokenCounter;
  /** Of the model that is really called, in tokens. A window that is not positive counts as 128,000. */
  readonly window: number;
  readonly share?: number | undefined;
  readonly turnShare?: number | undefined;
  readonly turn: TurnResultState;
  /** Results of this step that are still to come, this one included. */
  readonly parallel?: number | undefined;
  /** Names what will be kept. Left out, the notices say that the rest is not kept: the way to render again when keeping failed. */
  readonly newHandle?: (() => string) | undefined;
};

/** A full text to be kept under its handle. */
type Kept = { readonly handle: string; readonly text: string };

type TruncatedResult = {
  readonly result: ToolResult;
  readonly truncations: readonly Truncation[];
  readonly turn: TurnResultState;
  readonly keep: readonly Kept[];
};

/** A part's share below this is not worth a notice of its own: the parts are then cut as one text. */
const LEAST_SHARE = 48;
/** Bytes beyond this are described and not kept: nobody pages through more base64 than that. */
const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * A result as the model may see it: within its share of the window and of what the turn has left.
 * Pure: what is to be kept comes back in `keep`, and the caller stores it before it shows the result.
 */
export function truncateResult(result: ToolResult, options: TruncateResultOptions): TruncatedResult {
  const { counter, turn } = options;
  const truncator = truncatorFor(options);
  const budget = resultBudget(turn, options);
  const limit = Math.min(truncator.threshold, budget);
  const entries = result.parts.map((part) => describe(part, options));
  const sizes = entries.map((entry) => sizeOf(entry.text, limit, counter));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const keep = entries.flatMap((entry) => entry.keep ?? []);
  const replaced = entries.flatMap((entry) => (entry.truncation ? [entry.truncation(counter, limit)] : []));
  if (total <= limit) {
    const parts = entries.map((entry) => entry.part);
    return { result: { ...result, parts }, truncations: replaced, turn: { used: turn.used + total }, keep };
  }
  const cut = cutParts(entries, sizes, Math.min(truncator.keep, budget), truncator, options);
  return {
    result: { ...result, parts: cut.parts },
    truncations: [...replaced, ...cut.truncations],
    turn: { used: turn.used + cut.tokens },
    keep: [...keep, ...cut.keep],
  };
}

/** Exact where it decides, an estimate beyond. */
function sizeOf(text: string, limit: number, counter: TokenCounter): number {
  const { tokens, exact } = counter.countUpTo(text, limit);
  return exact ? tokens : Math.max(tokens, limit + 1, estimateTokens(text, counter));
}

/** A part with the text it counts as; `text` is empty for an image. */
type Entry = {
  readonly part: Part;
  readonly text: string;
  readonly keep?: Kept;
  readonly truncation?: (counter: TokenCounter, limit: number) => Truncation;
};

function describe(part: Part, options: TruncateResultOptions): Entry {
  const read = partText(part);
  if (read.kind === "image") return { part, text: "" };
  if (read.kind === "text") {
    return { part: part.kind === "json" ? part : { kind: "text", text: read.text }, text: read.text };
  }
  const { bytes, mime } = read;
  const handle = bytes.length <= KEPT_BYTES ? options.newHandle?.() : undefined;
  const rest = handle === undefined ? "not kept" : `read_result with handle ${JSON.stringify(handle)} gives base64`;
  const text = `[Binary data: ${bytes.length} bytes, ${mime.slice(0, 100)}; not shown, ${rest}]`;
  return {
    part: { kind: "text", text },
    text,
    keep: handle === undefined ? undefined : { handle, text: Buffer.from(bytes).toString("base64") },
    truncation: (counter, limit) => ({
      tool: options.tool,
      strategy: "replaced",
      original: Math.ceil(bytes.length / 4),
      estimated: true,
      limit,
      kept: counter.count(text),
      handle,
    }),
  };
}

type CutParts = {
  readonly parts: readonly Part[];
  readonly truncations: readonly Truncation[];
  readonly keep: readonly Kept[];
  readonly tokens: number;
};

function cutParts(
  entries: readonly Entry[],
  sizes: readonly number[],
  budget: number,
  truncator: ToolResultTruncator,
  options: TruncateResultOptions,
): CutParts {
  const texts = entries.filter((entry) => entry.part.kind !== "image").length;
  if (texts > 1 && budget / texts < LEAST_SHARE) {
    const joined = joinTexts(entries);
    return cutParts(
      joined,
      joined.map((entry) => (entry.text === "" ? 0 : budget + 1)),
      budget,
      truncator,
      options,
    );
  }
  const budgets = shareBudget(sizes, budget);
  const cut = entries.map((entry, i) => cutPart(entry, budgets[i] ?? 0, sizes[i] ?? 0, truncator, options));
  return {
    parts: cut.map((one) => one.part),
    truncations: cut.flatMap((one) => one.truncation ?? []),
    keep: cut.flatMap((one) => one.keep ?? []),
    tokens: cut.reduce((sum, one) => sum + one.tokens, 0),
  };
}

/** All texts as one, in the place of the first; the images stay where they are. */
function joinTexts(entries: readonly Entry[]): readonly Entry[] {
  const text = entries.flatMap((entry) => (entry.part.kind === "image" ? [] : [entry.text])).join("\n");
  const first = entries.findIndex((entry) => entry.part.kind !== "image");
  return entries.flatMap((entry, i) => {
    if (i === first) return [{ part: { kind: "text", text }, text } satisfies Entry];
    return entry.part.kind === "image" ? [entry] : [];
  });
}

function cutPart(
  entry: Entry,
  budget: number,
  size: number,
  truncator: ToolResultTruncator,
  options: TruncateResultOptions,
): { part: Part; truncation?: Truncation; keep?: Kept; tokens: number } {
  if (size <= budget) return { part: entry.part, tokens: size };
  const handle = options.newHandle?.();
  const cut = truncator.truncate(entry.text, options.tool, { handle, budget });
  return {
    part: { kind: "text", text: cut.text },
    tokens: cut.truncation?.kept ?? size,
    truncation: cut.truncation,
    ...(cut.truncation === undefined || handle === undefined ? {} : { keep: { handle, text: entry.text } }),
  };
}
