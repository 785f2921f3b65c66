import { checkOptions, name, number, optional } from "../../base/kernel/check-options.ts";
import type { CallRecord } from "../../base/words/call.ts";
import type { FeedbackContext, FeedbackDraft, FeedbackProvider } from "../../base/words/feedback.ts";
import { positive } from "./positive.ts";

const WINDOW = 64;

type Streak = { readonly tool: string; readonly times: number; readonly denied: number; readonly newest: number };

/**
 * Notices when the same tool with the same arguments fails or is denied again and again, other calls in between or not.
 * Speaks once for each further failure, and not of those it has spoken of.
 */
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
          : "Do not repeat the same call: find out why it fails, then change the arguments or go another way.",
      ],
      severity: times >= 2 * this.#after ? "warning" : "caution",
    };
  }

  #worst(context: FeedbackContext): Streak | undefined {
    const unspoken = context.toolCallsSinceLastFeedbackForProvider(this.name);
    const calls = context.recentToolCalls(WINDOW);
    return streaks(calls)
      .filter(({ times, newest }) => times >= this.#after && newest >= calls.length - unspoken)
      .reduce<Streak | undefined>(
        (worst, one) => (worst === undefined || one.times > worst.times ? one : worst),
        undefined,
      );
  }
}

/** What is failing now, by tool and arguments. A cancelled call says nothing; any other outcome ends a streak. */
function streaks(calls: readonly CallRecord[]): readonly Streak[] {
  // Few are open at once: going through them costs less than a key for every call.
  const open: (Streak & { readonly argsHash: string })[] = [];
  calls.forEach(({ tool, argsHash, outcome }, newest) => {
    if (outcome === "cancelled") return;
    const at = open.findIndex((streak) => streak.argsHash === argsHash && streak.tool === tool);
    if (outcome !== "failed" && outcome !== "denied") {
      if (at >= 0) open.splice(at, 1);
      return;
    }
    const { times, denied } = open[at] ?? { times: 0, denied: 0 };
    const longer = { tool, argsHash, times: times + 1, denied: denied + (outcome === "denied" ? 1 : 0), newest };
    if (at >= 0) open[at] = longer;
    else open.push(longer);
  });
  return open;
}
