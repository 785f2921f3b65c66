import { checkOptions, name, number, optional, type ShapesOf } from "../../base/kernel/check-options.ts";
import type { FeedbackContext, FeedbackDraft, FeedbackProvider, Severity } from "../../base/words/feedback.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import { positive } from "./positive.ts";

type Spent = { readonly what: string; readonly used: number; readonly limit: number };

const SUGGESTIONS: Readonly<Record<Severity, readonly string[]>> = {
  info: [],
  caution: ["Prefer short results, and read only what you need."],
  warning: ["Finish the critical part of the work now.", "Summarise what will be left undone."],
};

type TokenBudgetOptions = { readonly cautionAt?: number; readonly warnAt?: number; readonly name?: string };
const KEYS: ShapesOf<TokenBudgetOptions> = {
  cautionAt: optional(number),
  warnAt: optional(number),
  name: optional(name),
};

/** Tells which share of the token budget is used, judged by the limit that is nearest. Silent without one. */
export class TokenBudgetFeedback implements FeedbackProvider {
  readonly name: string;
  readonly #cautionAt: number;
  readonly #warnAt: number;

  constructor(options: TokenBudgetOptions = {}) {
    checkOptions("TokenBudgetFeedback", options, KEYS);
    this.name = options.name ?? "TokenBudget";
    this.#cautionAt = positive("cautionAt", options.cautionAt ?? 0.7);
    this.#warnAt = positive("warnAt", options.warnAt ?? 0.9);
  }

  shouldRun({ session }: FeedbackContext): boolean {
    return spent(session).length > 0;
  }

  provide({ session }: FeedbackContext): FeedbackDraft {
    const limits = spent(session);
    const share = Math.max(...limits.map(shareOf));
    const severity = share >= this.#warnAt ? "warning" : share >= this.#cautionAt ? "caution" : "info";
    return {
      summary: `${percent(share)} of your token budget is used.`,
      observations: limits.map((limit) => ({
        category: limit.what,
        description: `${count(limit.used)} of ${count(limit.limit)} (${percent(shareOf(limit))})`,
      })),
      suggestions: SUGGESTIONS[severity],
      severity,
    };
  }
}

function spent({ usage, budget }: SessionView): readonly Spent[] {
  const { inputTokens, outputTokens } = usage;
  const all = [
    { what: "tokens", used: inputTokens + outputTokens, limit: budget.tokens },
    { what: "input tokens", used: inputTokens, limit: budget.inputTokens },
    { what: "output tokens", used: outputTokens, limit: budget.outputTokens },
  ];
  return all.flatMap(({ what, used, limit }) => (limit === undefined ? [] : [{ what, used, limit }]));
}

/** A limit of nothing is used up from the start. */
function shareOf({ used, limit }: Spent): number {
  return limit > 0 ? used / limit : 1;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
