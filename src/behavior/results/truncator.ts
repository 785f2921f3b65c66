import { checkOptions, having, number, optional } from "../../base/kernel/check-options.ts";
import { cutGraphemes, segmentGraphemes, wellFormed } from "../../base/kernel/text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { Truncation } from "../../base/words/result.ts";
import { codePointStart, estimateTokens } from "./token-counter.ts";
import { DEFAULT_WINDOW, RESULT_SHARE, windowOr } from "./truncate-result.ts";

/** Characters at the end that are inspected, and that are kept at most. */
const LOOKED_AT = 2_000;
const TAIL_CHARACTERS = 4_000;

/** A cut moves to a line end if that costs at most this share. */
const LINE_SHARE = 0.2;

const ERROR =
  /\b(?:error|errors|exception|fail|failed|failure|failures|fatal|panic|panicked|traceback|exit code|exit status|errno|segmentation fault|killed|aborted|timed out)\b/i;
const SUMMARY =
  /\b(?:total|totals|summary|in total|done in|finished|completed|passed|succeeded|tests?:|rows? in set|\d+ rows?)\b/i;
const CLOSED_JSON = /[}\]]$/;

/** True if the text ends with an error, a summary, totals or the end of a JSON value. */
export function endMatters(text: string): boolean {
  const end = text.slice(-LOOKED_AT);
  return ERROR.test(end) || SUMMARY.test(end) || CLOSED_JSON.test(end.trimEnd());
}

/** The start of a text in at most `tokens`, cut at a near line end or between graphemes. */
function takeHead(text: string, tokens: number, counter: TokenCounter): string {
  const { end } = counter.fit(text, tokens);
  if (end >= text.length) return text;
  const floor = Math.ceil(end * (1 - LINE_SHARE));
  const newline = text.slice(floor, end + 1).lastIndexOf("\n");
  if (newline < 0) return cutGraphemes(text, end);
  const at = floor + newline;
  return text.slice(0, at > 0 && text[at - 1] === "\r" ? at - 1 : at);
}

/** The start of the tail that takes at most `tokens` and 4,000 characters. */
function tailStart(text: string, from: number, tokens: number, counter: TokenCounter): number {
  let start = codePointStart(text, Math.max(from, text.length - TAIL_CHARACTERS));
  if (counter.count(text.slice(start)) > tokens) {
    let low = start;
    let high = text.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (counter.count(text.slice(middle)) > tokens) low = middle;
      else high = middle;
    }
    start = high;
  }
  if (start === 0 || text[start - 1] === "\n") return start;
  const newline = text.slice(start, start + Math.floor((text.length - start) * LINE_SHARE)).indexOf("\n");
  return newline >= 0 ? start + newline + 1 : graphemeStart(text, start);
}

/** The next grapheme boundary at or after `at`; in a very long grapheme, a code point boundary. */
function graphemeStart(text: string, at: number): number {
  const before = cutGraphemes(text, at).length;
  if (before === at) return at;
  const [first] = segmentGraphemes(text.slice(before, before + 128));
  return before + (first?.segment.length ?? 0);
}

/** `kept` counts everything shown, including the notice. */
type NoticeFacts = {
  readonly original: number;
  readonly estimated: boolean;
  readonly limit: number;
  readonly kept: number;
  readonly strategy: "head" | "head-tail";
  /** Where the omitted part begins, for `read_result`. */
  readonly offset: number;
  readonly handle?: string | undefined;
};

/** From the full notice to the shortest, for small budgets. */
const NOTICES: readonly ((facts: NoticeFacts) => string)[] = [full, short, (facts) => `${opening(facts)} tokens]`];

function omission(characters: number): string {
  return `[... ${characters} characters omitted ...]`;
}

function full(facts: NoticeFacts): string {
  const shown = facts.strategy === "head" ? "Showing first" : "Showing the start and the end,";
  const rest =
    facts.handle === undefined
      ? "The rest is not stored. Use pagination or filters to get specific data."
      : `Call read_result with {"handle":${JSON.stringify(facts.handle)},"offset":${facts.offset}} for the rest, or use pagination or filters.`;
  return `${opening(facts)} tokens exceeds limit of ${facts.limit}. ${shown} ${facts.kept} tokens. ${rest}]`;
}

function short(facts: NoticeFacts): string {
  const rest = facts.handle === undefined ? "rest not stored" : `read_result ${facts.handle}`;
  return `${opening(facts)} > ${facts.limit} tokens, kept ${facts.kept}; ${rest}]`;
}

function opening(facts: NoticeFacts): string {
  return `⚠️ [Output truncated: ${facts.estimated ? "~" : ""}${facts.original}`;
}

type Truncated = { readonly text: string; readonly truncation?: Truncation };

type TruncateOptions = {
  /** The handle of the stored full text; without it the notice says that it is not stored. */
  readonly handle?: string | undefined;
  /** A limit below the share of the window. */
  readonly budget?: number | undefined;
  /** The exceeded limit that notice and record name. Default: the smaller of share and budget. */
  readonly limit?: number | undefined;
};

/** Limits a tool result to its share of the model's window. */
export class ToolResultTruncator {
  readonly threshold: number;
  /** Tokens that are left of a cut text, including the notice. */
  readonly keep: number;
  readonly #counter: TokenCounter;

  constructor(options: { maxTokens?: number; maxShare?: number; counter: TokenCounter }) {
    checkOptions("ToolResultTruncator", options, {
      maxTokens: optional(number),
      maxShare: optional(number),
      counter: having("countUpTo", "fit"),
    });
    const { maxTokens = DEFAULT_WINDOW, maxShare = RESULT_SHARE, counter } = options;
    if (!(Number.isFinite(maxTokens) && maxTokens > 0)) throw new RangeError("maxTokens must be greater than 0");
    if (!(maxShare > 0 && maxShare <= 1)) throw new RangeError("maxShare must be greater than 0 and at most 1");
    this.threshold = Math.floor(maxTokens * maxShare);
    this.keep = Math.floor(this.threshold * 0.8);
    this.#counter = counter;
  }

  /** The text if it fits, else its start, and its end if that matters, with a notice. */
  truncate(text: string, toolName: string, options: TruncateOptions = {}): Truncated {
    // NaN must not let everything pass.
    const budget = Math.floor(options.budget ?? this.threshold);
    const limit = Number.isNaN(budget) ? this.threshold : Math.max(0, Math.min(this.threshold, budget));
    const whole = wellFormed(text);
    // A token has at least one byte, so most texts need no counting.
    if (whole.length <= limit && Buffer.byteLength(whole) <= limit) return { text: whole };
    const counted = this.#counter.countUpTo(whole, limit * 2);
    if (counted.exact && counted.tokens <= limit) return { text: whole };
    const original = counted.exact
      ? counted.tokens
      : Math.max(limit * 2 + 1, counted.tokens, estimateTokens(whole, this.#counter));
    const facts = { original, estimated: !counted.exact, limit: options.limit ?? limit, handle: options.handle };
    const { text: shown, ...cut } = this.#cut(whole, Math.min(this.keep, limit), facts);
    return { text: shown, truncation: { tool: toolName, ...cut, ...facts } };
  }

  #cut(text: string, keep: number, known: Pick<NoticeFacts, "original" | "estimated" | "limit" | "handle">): Cut {
    const strategy = endMatters(text) ? ("head-tail" as const) : ("head" as const);
    const widest = { ...known, strategy, kept: keep, offset: text.length };
    for (const [level, notice] of NOTICES.entries()) {
      // A notice may take half of the budget, the shortest all of it.
      const needed = this.#counter.count(`\n\n${notice(widest)}`);
      const last = level === NOTICES.length - 1;
      if (needed > keep / (last ? 1 : 2)) continue;
      let budget = keep - needed;
      for (let attempt = 0; attempt < 6 && budget >= 0; attempt++) {
        const body = this.#body(text, budget, strategy);
        const cut = this.#sign(body, keep, (kept) => notice({ ...known, ...body, kept }));
        if (cut.kept <= keep) return cut;
        budget -= cut.kept - keep + attempt;
      }
    }
    // Without budget for a notice nothing is shown.
    return { text: "", kept: 0, strategy: "head" };
  }

  #body(text: string, budget: number, wanted: Truncation["strategy"]): Body {
    if (wanted === "head-tail") {
      const marker = `\n\n${omission(text.length)}\n\n`;
      const left = budget - this.#counter.count(marker);
      const start = tailStart(text, 0, Math.floor(left * 0.3), this.#counter);
      const tail = text.slice(start);
      const head = takeHead(text, left - this.#counter.count(tail), this.#counter);
      if (tail !== "" && head !== "" && head.length < start) {
        const shown = `${head}\n\n${omission(start - head.length)}\n\n${tail}`;
        return { shown, strategy: "head-tail", offset: head.length };
      }
    }
    const head = takeHead(text, budget, this.#counter);
    return { shown: head, strategy: "head", offset: head.length };
  }

  /** Adds the notice, which states a count that includes itself. */
  #sign(body: Body, guess: number, notice: (kept: number) => string): Cut {
    const before = body.shown === "" ? "" : `${body.shown}\n\n`;
    let stated = guess;
    for (;;) {
      const kept = this.#counter.count(`${before}${notice(stated)}`);
      // Numbers with equally many digits have equally many tokens, so this ends after at most three rounds.
      if (`${kept}`.length === `${stated}`.length) {
        return { text: `${before}${notice(kept)}`, kept, strategy: body.strategy };
      }
      stated = kept;
    }
  }
}

type UntrustedLimits = { readonly window?: number; readonly share?: number; readonly counter: TokenCounter };

/** A truncator for untrusted figures: invalid ones are replaced by the default. */
export function truncatorFor({ window = 0, share = 0, counter }: UntrustedLimits): ToolResultTruncator {
  return new ToolResultTruncator({ maxTokens: windowOr(window), maxShare: shareOr(share), counter });
}

/** The tokens above which a truncator with these limits cuts. */
export function resultThreshold({ window = 0, share = 0 }: Omit<UntrustedLimits, "counter">): number {
  return Math.floor(windowOr(window) * shareOr(share));
}

function shareOr(share: number): number {
  return share > 0 && share <= 1 ? share : RESULT_SHARE;
}

type Cut = { readonly text: string; readonly kept: number; readonly strategy: "head" | "head-tail" };
type Body = { readonly shown: string; readonly strategy: "head" | "head-tail"; readonly offset: number };
