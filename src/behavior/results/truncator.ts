import { checkOptions, having, number, optional } from "../../base/kernel/check-options.ts";
import { wellFormed } from "../../base/kernel/text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { Truncation } from "../../base/words/result.ts";
import { estimateTokens } from "./counter.ts";
import { endMatters, tailStart, takeHead } from "./ends.ts";
import { DEFAULT_WINDOW, RESULT_SHARE, windowOr } from "./turn-result-state.ts";

/** What the notice says of a cut. `kept` counts everything shown, the notice included. */
type NoticeFacts = {
  readonly original: number;
  readonly estimated: boolean;
  readonly limit: number;
  readonly kept: number;
  readonly strategy: "head" | "head-tail";
  /** Where the first part that is not shown begins, for `read_result`. */
  readonly offset: number;
  readonly handle?: string | undefined;
};

/** From all that a reader wants to know down to the least, for budgets that hold no more. */
const NOTICES: readonly ((facts: NoticeFacts) => string)[] = [full, short, minimal];

/** Stands where the middle was left out. */
function omission(characters: number): string {
  return `[... ${characters} characters omitted ...]`;
}

function full(facts: NoticeFacts): string {
  const shown = facts.strategy === "head" ? "Showing first" : "Showing the start and the end,";
  const rest =
    facts.handle === undefined
      ? "The rest is not kept. Use pagination or filters to get specific data."
      : `Call read_result with {"handle":${JSON.stringify(facts.handle)},"offset":${facts.offset}} for the rest, or use pagination or filters.`;
  return `${opening(facts)} tokens exceeds limit of ${facts.limit}. ${shown} ${facts.kept} tokens. ${rest}]`;
}

function short(facts: NoticeFacts): string {
  const rest = facts.handle === undefined ? "rest not kept" : `read_result ${facts.handle}`;
  return `${opening(facts)} > ${facts.limit} tokens, kept ${facts.kept}; ${rest}]`;
}

function minimal(facts: NoticeFacts): string {
  return `${opening(facts)} tokens]`;
}

function opening(facts: NoticeFacts): string {
  return `⚠️ [Output truncated: ${facts.estimated ? "~" : ""}${facts.original}`;
}

/** `truncation` is there when the text was shortened. */
type Truncated = { readonly text: string; readonly truncation?: Truncation };

type TruncateOptions = {
  /** Under which the full text will be kept; absent says in the notice that it is not. */
  readonly handle?: string | undefined;
  /** Tokens that this text may take where that is less than the share of the window. */
  readonly budget?: number | undefined;
};

/** Keeps one tool result from taking more than its share of the model's window. */
export class ToolResultTruncator {
  /** A text of more tokens is cut. */
  readonly threshold: number;
  /** What is left of it, the notice included. */
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

  /** The text when it fits, else its start (and its end, when that matters) with a notice, never above the budget. */
  truncate(text: string, toolName: string, options: TruncateOptions = {}): Truncated {
    // Not a number is no budget of its own; it must not let everything pass.
    const budget = Math.floor(options.budget ?? this.threshold);
    const limit = Number.isNaN(budget) ? this.threshold : Math.max(0, Math.min(this.threshold, budget));
    const whole = wellFormed(text);
    // A token is at least a byte, so that most texts need no counting.
    if (whole.length <= limit && Buffer.byteLength(whole) <= limit) return { text: whole };
    const counted = this.#counter.countUpTo(whole, limit * 2);
    if (counted.exact && counted.tokens <= limit) return { text: whole };
    const original = counted.exact
      ? counted.tokens
      : Math.max(limit * 2 + 1, counted.tokens, estimateTokens(whole, this.#counter));
    const keep = Math.min(this.keep, limit);
    const facts = { original, estimated: !counted.exact, limit, handle: options.handle };
    const cut = this.#cut(whole, keep, facts);
    return {
      text: cut.text,
      truncation: {
        tool: toolName,
        strategy: cut.strategy,
        original,
        estimated: !counted.exact,
        limit,
        kept: cut.kept,
        handle: options.handle,
      },
    };
  }

  #cut(text: string, keep: number, known: Pick<NoticeFacts, "original" | "estimated" | "limit" | "handle">): Cut {
    const strategy = endMatters(text) ? ("head-tail" as const) : ("head" as const);
    const widest = { ...known, strategy, kept: keep, offset: text.length };
    for (const [level, notice] of NOTICES.entries()) {
      // The notice may take half of what is there; the last that says anything may take all of it.
      const needed = this.#counter.count(`\n\n${notice(widest)}`);
      const last = level === NOTICES.length - 1;
      if (needed > keep / (last ? 1 : 2)) continue;
      let room = keep - needed;
      for (let attempt = 0; attempt < 6 && room >= 0; attempt++) {
        const body = this.#body(text, room, strategy);
        const cut = this.#sign(body, keep, (kept) => notice({ ...known, ...body, kept }));
        if (cut.kept <= keep) return cut;
        room -= cut.kept - keep + attempt;
      }
    }
    // A cut that could not be told is no cut: nothing is shown.
    return { text: "", kept: 0, strategy: "head" };
  }

  /** What is shown of the text in about `room` tokens. */
  #body(text: string, room: number, wanted: Truncation["strategy"]): Body {
    if (wanted === "head-tail") {
      const marker = `\n\n${omission(text.length)}\n\n`;
      const left = room - this.#counter.count(marker);
      const start = tailStart(text, 0, Math.floor(left * 0.3), this.#counter);
      const tail = text.slice(start);
      const head = takeHead(text, left - this.#counter.count(tail), this.#counter);
      if (tail !== "" && head !== "" && head.length < start) {
        const shown = `${head}\n\n${omission(start - head.length)}\n\n${tail}`;
        return { shown, strategy: "head-tail", offset: head.length };
      }
    }
    const head = takeHead(text, room, this.#counter);
    return { shown: head, strategy: "head", offset: head.length };
  }

  /** Adds the notice, which states a count that it is itself part of. */
  #sign(body: Body, guess: number, notice: (kept: number) => string): Cut {
    const before = body.shown === "" ? "" : `${body.shown}\n\n`;
    let stated = guess;
    for (;;) {
      const kept = this.#counter.count(`${before}${notice(stated)}`);
      // Numbers of as many digits take as many tokens, so that stating the right one changes nothing. A longer one
      // only adds tokens: going up from the shorter, this ends after three rounds at most.
      if (`${kept}`.length === `${stated}`.length) {
        return { text: `${before}${notice(kept)}`, kept, strategy: body.strategy };
      }
      stated = kept;
    }
  }
}

/** A truncator for figures that come from elsewhere: what cannot be is replaced by the default, because nothing may pass uncut. */
export function truncatorFor(options: {
  readonly window?: number | undefined;
  readonly share?: number | undefined;
  readonly counter: TokenCounter;
}): ToolResultTruncator {
  const { window = 0, share = 0, counter } = options;
  const maxShare = share > 0 && share <= 1 ? share : RESULT_SHARE;
  return new ToolResultTruncator({ maxTokens: windowOr(window), maxShare, counter });
}

type Cut = { readonly text: string; readonly kept: number; readonly strategy: "head" | "head-tail" };
type Body = { readonly shown: string; readonly strategy: "head" | "head-tail"; readonly offset: number };
