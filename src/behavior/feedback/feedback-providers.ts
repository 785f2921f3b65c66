import {
  checkOptions,
  either,
  listOf,
  name,
  number,
  oneOf,
  optional,
  type ShapesOf,
  shape,
  text,
} from "../../base/kernel/check-options.ts";
import { formatDuration } from "../../base/kernel/duration.ts";
import type { ScopeUse } from "../../base/words/budget.ts";
import type { CallRecord } from "../../base/words/call.ts";
import type { FeedbackContext, FeedbackDraft, FeedbackProvider, Severity } from "../../base/words/feedback.ts";
import type { SessionView } from "../../base/words/session-view.ts";

const WINDOW = 64;

type Streak = { readonly tool: string; readonly times: number; readonly denied: number; readonly oldest: number };

/** Reports when the same call fails or is denied repeatedly, also with other calls in between; once for each new failure. */
export class RepeatedFailureFeedback implements FeedbackProvider {
  readonly name: string;
  readonly #after: number;

  constructor(options: { readonly after?: number; readonly name?: string } = {}) {
    checkOptions("RepeatedFailureFeedback", options, { after: optional(number), name: optional(name) });
    this.name = options.name ?? "RepeatedFailure";
    this.#after = positive("after", options.after ?? 3);
  }

  shouldRun(context: FeedbackContext): boolean {
    return this.#worst(context) !== undefined;
  }

  provide(context: FeedbackContext): FeedbackDraft {
    const worst = this.#worst(context);
    if (worst === undefined) throw new Error("nothing failed repeatedly");
    const { tool, times, denied } = worst;
    const how = denied === times ? "was denied" : denied === 0 ? "failed" : "failed or was denied";
    return {
      summary: `${tool} ${how} ${times} times in a row with the same arguments.`,
      suggestions: [
        denied === times
          ? "Do what the denial asks for first, or reach the goal another way; the same call will be denied again."
          : "Do not repeat the same call: find out why it fails, then change the arguments or try another way.",
      ],
      severity: times >= 2 * this.#after ? "warning" : "caution",
    };
  }

  #worst(context: FeedbackContext): Streak | undefined {
    const unspoken = context.toolCallsSinceLastFeedbackForProvider(this.name);
    const calls = context.recentToolCalls(WINDOW);
    let worst: Streak | undefined;
    for (let newest = calls.length - 1; newest >= Math.max(0, calls.length - unspoken); newest--) {
      const streak = streakUpTo(calls, newest);
      if (streak === undefined || streak.times < this.#after) continue;
      // Of two equally long streaks, the one that began first is reported.
      if (worst === undefined || streak.times > worst.times) worst = streak;
      else if (streak.times === worst.times && streak.oldest < worst.oldest) worst = streak;
    }
    return worst;
  }
}

/**
 * The streak of one call, if `newest` is its latest failure or denial and no other outcome followed. A cancelled call is
 * ignored; any other outcome ends a streak. Few calls fail, so a search is cheaper than a list of streaks.
 */
function streakUpTo(calls: readonly CallRecord[], newest: number): Streak | undefined {
  const last = calls[newest];
  if (last === undefined || !isFailure(last)) return undefined;
  for (let at = newest + 1; at < calls.length; at++) if (isSame(calls[at], last)) return undefined;
  let [times, denied, oldest] = [0, 0, newest];
  for (let at = newest; at >= 0; at--) {
    const one = calls[at];
    if (one === undefined || !isSame(one, last)) continue;
    if (!isFailure(one)) break;
    times += 1;
    if (one.outcome === "denied") denied += 1;
    oldest = at;
  }
  return { tool: last.tool, times, denied, oldest };
}

function isFailure({ outcome }: CallRecord): boolean {
  return outcome === "failed" || outcome === "denied";
}

function isSame(one: CallRecord | undefined, other: CallRecord): boolean {
  return one?.argsHash === other.argsHash && one.tool === other.tool && one.outcome !== "cancelled";
}

const DRAFT: ShapesOf<FeedbackDraft> = {
  summary: text,
  observations: optional(listOf(shape({ category: text, description: text }))),
  suggestions: optional(listOf(text)),
  severity: optional(oneOf("info", "caution", "warning")),
};

/** Gives the same reminder whenever it is triggered. */
export class StaticFeedbackProvider implements FeedbackProvider {
  readonly name: string;
  readonly #draft: FeedbackDraft;

  constructor(options: { readonly feedback: string | FeedbackDraft; readonly name?: string }) {
    checkOptions("StaticFeedbackProvider", options, { feedback: either(text, shape(DRAFT)), name: optional(name) });
    const { feedback } = options;
    this.name = options.name ?? "Static";
    this.#draft = typeof feedback === "string" ? { summary: feedback } : feedback;
  }

  provide(): FeedbackDraft {
    return this.#draft;
  }
}

type Spent = { readonly what: string; readonly used: number; readonly limit: number };

const SUGGESTIONS: Readonly<Record<Severity, readonly string[]>> = {
  info: [],
  caution: ["Prefer short results, and read only what you need."],
  warning: ["Finish the critical part of the work now.", "Summarise what will be left undone."],
};

type TokenBudgetOptions = { readonly cautionAt?: number; readonly warnAt?: number; readonly name?: string };
const TOKEN_BUDGET_KEYS: ShapesOf<TokenBudgetOptions> = {
  cautionAt: optional(number),
  warnAt: optional(number),
  name: optional(name),
};

/** Reports the used share of the token budget, by the limit that is nearest. Silent without a budget. */
export class TokenBudgetFeedback implements FeedbackProvider {
  readonly name: string;
  readonly #cautionAt: number;
  readonly #warnAt: number;

  constructor(options: TokenBudgetOptions = {}) {
    checkOptions("TokenBudgetFeedback", options, TOKEN_BUDGET_KEYS);
    this.name = options.name ?? "TokenBudget";
    this.#cautionAt = positive("cautionAt", options.cautionAt ?? 0.7);
    this.#warnAt = positive("warnAt", options.warnAt ?? 0.9);
  }

  shouldRun({ session }: FeedbackContext): boolean {
    return scopesIn(session).some(
      ({ budget: { tokens, inputTokens, outputTokens } }) => (tokens ?? inputTokens ?? outputTokens) !== undefined,
    );
  }

  provide({ session }: FeedbackContext): FeedbackDraft {
    const limits = spent(session);
    const share = Math.max(...limits.map(shareOf));
    const percent = (part: number) => `${Math.floor(part * 100)} %`;
    const format = (tokens: number) => tokens.toLocaleString("en-US");
    const severity = share >= this.#warnAt ? "warning" : share >= this.#cautionAt ? "caution" : "info";
    return {
      summary: `${percent(share)} of your token budget is used.`,
      observations: limits.map((spent) => {
        const description = `${format(spent.used)} of ${format(spent.limit)} (${percent(shareOf(spent))})`;
        return { category: spent.what, description };
      }),
      suggestions: SUGGESTIONS[severity],
      severity,
    };
  }
}

const WHERE = { turn: " in this turn", session: "", day: " today" } as const;

function scopesIn({ usage, budget, scopes }: SessionView): readonly ScopeUse[] {
  return scopes ?? [{ scope: "session", usage, budget }];
}

function spent(session: SessionView): readonly Spent[] {
  return scopesIn(session).flatMap(({ scope, usage: { inputTokens, outputTokens }, budget: limits }) => {
    const all = [
      { what: "tokens", used: inputTokens + outputTokens, limit: limits.tokens },
      { what: "input tokens", used: inputTokens, limit: limits.inputTokens },
      { what: "output tokens", used: outputTokens, limit: limits.outputTokens },
    ];
    return all.flatMap(({ what, used, limit }) =>
      limit === undefined ? [] : [{ what: `${what}${WHERE[scope]}`, used, limit }],
    );
  });
}

/** A limit of zero is used up. */
function shareOf({ used, limit }: Spent): number {
  return limit > 0 ? used / limit : 1;
}

type DeadlineOptions = { readonly warningThresholdSeconds?: number; readonly name?: string };
const DEADLINE_KEYS: ShapesOf<DeadlineOptions> = { warningThresholdSeconds: optional(number), name: optional(name) };

/** Reports the time left, with a warning when it is short. Silent without a deadline. */
export class DeadlineFeedback implements FeedbackProvider {
  readonly name: string;
  readonly #warnAtMs: number;

  constructor(options: DeadlineOptions = {}) {
    checkOptions("DeadlineFeedback", options, DEADLINE_KEYS);
    this.name = options.name ?? "Deadline";
    this.#warnAtMs = positive("warningThresholdSeconds", options.warningThresholdSeconds ?? 120) * 1_000;
  }

  shouldRun({ deadline }: FeedbackContext): boolean {
    return deadline !== undefined;
  }

  provide({ deadline = 0, session }: FeedbackContext): FeedbackDraft {
    const left = deadline - session.now;
    const taken = `You have been working for ${formatDuration(session.now - session.startedAt)}`;
    if (left <= 0) {
      return {
        summary: `${taken} and the deadline has passed.`,
        suggestions: ["Wrap up now. Start nothing new, and say what is done and what is not."],
        severity: "warning",
      };
    }
    const summary = `${taken}. ${left < 1_000 ? "Less than a second" : formatDuration(left)} remaining until the deadline.`;
    if (left > this.#warnAtMs) return { summary, severity: "info" };
    return {
      summary,
      suggestions: ["Finish the critical part of the work first.", "Summarise what will be left undone."],
      severity: "warning",
    };
  }
}

/** Throws if a threshold in the agent's definition is not above 0. */
function positive(what: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new RangeError(`${what} must be a number above 0, not ${value}`);
}
