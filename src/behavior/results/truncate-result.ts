import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { Part, ToolResult, Truncation } from "../../base/words/result.ts";
import { partText } from "./result-text.ts";
import { estimateTokens } from "./token-counter.ts";
import { resultThreshold, type ToolResultTruncator, truncatorFor } from "./truncator.ts";

/** Tokens used by the results of one turn. `charged`: the part of `used` that was charged and not counted. */
export type TurnResultState = { readonly used: number; readonly charged?: number };

export const NO_RESULTS: TurnResultState = { used: 0 };

/** For a model whose window is unknown. */
export const DEFAULT_WINDOW = 128_000;

/** One result may take this share of the window (seed 004). */
export const RESULT_SHARE = 0.3;

/** All results of a turn; 40 % stay for the prompt, the conversation and the answer. */
const TURN_SHARE = 0.6;

/** Tokens for the next result: an equal share for it and its pending siblings, and always enough for a few lines. */
export function resultBudget(
  turn: TurnResultState,
  options: { readonly window: number; readonly turnShare?: number | undefined; readonly parallel?: number | undefined },
): number {
  const { parallel = 1 } = options;
  const window = windowOr(options.window);
  const left = turnBudget(options) - turn.used;
  // 0.2 % of the window, so that a hundred calls at once still leave room for an answer.
  const floor = Math.max(64, Math.min(256, Math.floor(window * 0.002)));
  return Math.max(floor, Math.floor(left / Math.max(1, parallel)));
}

function turnBudget({ window, turnShare = TURN_SHARE }: Pick<TruncateResultOptions, "window" | "turnShare">): number {
  return Math.floor(windowOr(window) * turnShare);
}

export function windowOr(window: number): number {
  return Number.isFinite(window) && window > 0 ? window : DEFAULT_WINDOW;
}

/** Tokens for every part before the rest is shared by size, so that a short error next to a long log stays whole. */
const FIRST = 256;

/** Shares a budget among parts in proportion to their sizes. No part gets more than it needs. */
export function shareBudget(sizes: readonly number[], budget: number): readonly number[] {
  const each = Math.min(FIRST, Math.floor(budget / Math.max(1, sizes.filter((size) => size > 0).length)));
  const shares = sizes.map((size) => Math.min(size, each));
  let left = budget - sum(shares);
  // Unneeded tokens go to the others; every round satisfies a part or is the last.
  for (let round = 0; round < sizes.length && left > 0; round++) {
    const wants = sizes.map((size, i) => size - (shares[i] ?? 0));
    if (sum(wants) === 0) break;
    const open = sum(sizes.filter((_, i) => (wants[i] ?? 0) > 0));
    const given = wants.map((want, i) => Math.min(want, Math.floor((left * (sizes[i] ?? 0)) / open)));
    const spent = sum(given);
    if (spent === 0) break;
    for (const [i, more] of given.entries()) shares[i] = (shares[i] ?? 0) + more;
    left -= spent;
  }
  return shares;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

export type TruncateResultOptions = {
  readonly tool: string;
  readonly counter: TokenCounter;
  /** The window of the called model, in tokens; 128,000 if it is not positive. */
  readonly window: number;
  readonly share?: number | undefined;
  readonly turnShare?: number | undefined;
  readonly turn: TurnResultState;
  /** Characters of one result that the runtime passes on; it would cut the rest itself, without a handle. */
  readonly most?: number | undefined;
  /** Pending results of this step, including this one. */
  readonly parallel?: number | undefined;
  /** Creates handles for stored texts. Without it the notices say that the rest is not stored. */
  readonly newHandle?: (() => string) | undefined;
};

type Kept = { readonly handle: string; readonly text: string };

type TruncatedResult = {
  readonly result: ToolResult;
  readonly truncations: readonly Truncation[];
  readonly turn: TurnResultState;
  readonly keep: readonly Kept[];
};

/** Below this share per part, all parts are cut as one text. */
const LEAST_SHARE = 48;

/** Larger binary data is described but not stored. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** Results are charged instead of counted up to this share of the turn's budget. */
const CHARGED_SHARE = 1 / 10;

/**
 * Charges a short result its bytes instead of counting its tokens: a token has at least one byte. Returns the turn's new
 * state, or `undefined` if the result has to be counted.
 */
export function chargeResult(
  { parts }: ToolResult,
  options: Omit<TruncateResultOptions, "counter" | "tool">,
): TurnResultState | undefined {
  const { turn } = options;
  let bytes = 0;
  for (const part of parts) {
    if (part.kind !== "text" || !part.text.isWellFormed()) return undefined;
    bytes += Buffer.byteLength(part.text);
  }
  const charged = (turn.charged ?? 0) + bytes;
  const fits = bytes <= Math.min(resultThreshold(options), resultBudget(turn, options));
  return fits && charged <= turnBudget(options) * CHARGED_SHARE ? { used: turn.used + bytes, charged } : undefined;
}

/**
 * Cuts a result to its share of the window and of the turn's budget. Pure: the caller stores the texts in `keep` before it
 * shows the result.
 */
export function truncateResult(result: ToolResult, options: TruncateResultOptions): TruncatedResult {
  const { counter, turn } = options;
  const truncator = truncatorFor(options);
  const entries = result.parts.map((part) => describe(part, options));
  const budget = Math.min(resultBudget(turn, options), runtimeBudget(entries, options));
  const limit = Math.min(truncator.threshold, budget);
  const sizes = entries.map((entry) => sizeOf(entry.text, limit, counter));
  const replaced = entries.flatMap(({ binary }) => binary ?? []).map((given) => ({ ...given, limit }));
  const parts: readonly CutPart[] =
    sum(sizes) <= limit
      ? entries.map(({ part }, i) => ({ part, tokens: sizes[i] ?? 0 }))
      : cutParts(entries, sizes, Math.min(truncator.keep, budget), { ...options, truncator, limit });
  return {
    result: { ...result, parts: parts.map(({ part }) => part) },
    truncations: [...replaced, ...parts.flatMap(({ truncation }) => truncation ?? [])],
    turn: { ...turn, used: turn.used + sum(parts.map(({ tokens }) => tokens)) },
    keep: [...entries, ...parts].flatMap(({ keep }) => keep ?? []),
  };
}

/** Runtimes count a character of an East Asian script as about one token, which is four other characters. */
const EAST_ASIAN = /[\u1100-\u{10ffff}]/gu;

/** Tokens that fit into the characters that the runtime passes on, by the characters per token of this result. */
function runtimeBudget(entries: readonly Entry[], { most, counter }: TruncateResultOptions): number {
  if (most === undefined) return Number.POSITIVE_INFINITY;
  const chars = sum(entries.map(({ text }) => text.length + 3 * (text.match(EAST_ASIAN)?.length ?? 0)));
  if (chars <= most) return Number.POSITIVE_INFINITY;
  const tokens = sum(entries.map(({ text }) => estimateTokens(text, counter)));
  // The estimate is rough, and the notice takes some of it.
  return Math.max(1, Math.floor((tokens * most * 0.8) / chars));
}

/** Exact up to the limit, an estimate beyond. */
function sizeOf(text: string, limit: number, counter: TokenCounter): number {
  const { tokens, exact } = counter.countUpTo(text, limit);
  return exact ? tokens : Math.max(tokens, limit + 1, estimateTokens(text, counter));
}

/** A part with its text, which is empty for an image. */
type Entry = {
  readonly part: Part;
  readonly text: string;
  readonly keep?: Kept;
  /** The truncation of binary data, which is replaced by a description. */
  readonly binary?: Omit<Truncation, "limit">;
};

function describe(part: Part, options: TruncateResultOptions): Entry {
  const read = partText(part);
  if (read.kind === "image") return { part, text: "" };
  if (read.kind === "text") {
    return { part: part.kind === "json" ? part : { kind: "text", text: read.text }, text: read.text };
  }
  const { bytes, mime } = read;
  const handle = bytes.length <= KEPT_BYTES ? options.newHandle?.() : undefined;
  const rest = handle === undefined ? "not stored" : `read_result with handle ${JSON.stringify(handle)} gives base64`;
  const text = `[Binary data: ${bytes.length} bytes, ${mime.slice(0, 100)}; not shown, ${rest}]`;
  return {
    part: { kind: "text", text },
    text,
    keep: handle === undefined ? undefined : { handle, text: Buffer.from(bytes).toString("base64") },
    binary: {
      tool: options.tool,
      strategy: "replaced",
      original: Math.ceil(bytes.length / 4),
      estimated: true,
      kept: options.counter.count(text),
      handle,
    },
  };
}

type CutPart = Pick<Entry, "part" | "keep"> & { readonly tokens: number; readonly truncation?: Truncation };

/** `limit`: the one that the whole result exceeded. */
type Cutting = TruncateResultOptions & { readonly truncator: ToolResultTruncator; readonly limit: number };

function cutParts(
  entries: readonly Entry[],
  sizes: readonly number[],
  budget: number,
  options: Cutting,
): readonly CutPart[] {
  const texts = entries.filter((entry) => entry.part.kind !== "image").length;
  if (texts > 1 && budget / texts < LEAST_SHARE) {
    const joined = joinTexts(entries);
    const joinedSizes = joined.map((entry) => (entry.text === "" ? 0 : budget + 1));
    return cutParts(joined, joinedSizes, budget, options);
  }
  const budgets = shareBudget(sizes, budget);
  return entries.map((entry, i) => cutPart(entry, budgets[i] ?? 0, sizes[i] ?? 0, options));
}

/** All texts as one, at the position of the first; images stay. */
function joinTexts(entries: readonly Entry[]): readonly Entry[] {
  const text = entries.flatMap((entry) => (entry.part.kind === "image" ? [] : [entry.text])).join("\n");
  const first = entries.findIndex((entry) => entry.part.kind !== "image");
  return entries.flatMap((entry, i) => {
    if (i === first) return [{ part: { kind: "text", text }, text } satisfies Entry];
    return entry.part.kind === "image" ? [entry] : [];
  });
}

function cutPart(entry: Entry, budget: number, size: number, options: Cutting): CutPart {
  if (size <= budget) return { part: entry.part, tokens: size };
  const handle = options.newHandle?.();
  // A part that is small on its own only exceeded its share of the result.
  const limit = size > options.limit ? options.limit : budget;
  const { text, truncation } = options.truncator.truncate(entry.text, options.tool, { handle, budget, limit });
  const keep = truncation === undefined || handle === undefined ? undefined : { handle, text: entry.text };
  return { part: { kind: "text", text }, tokens: truncation?.kept ?? size, truncation, keep };
}
