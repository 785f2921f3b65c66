import { checkOptions, flag, having, listOf, optional, type ShapesOf } from "../../base/kernel/check-options.ts";
import type { CompletionChecker, CompletionContext, CompletionResult } from "../../base/words/hosting/completion.ts";
import { incomplete, ok } from "./completion-result.ts";
import { runChecker } from "./run-checker.ts";

type CompositeOptions = { readonly checkers: readonly CompletionChecker[]; readonly allMustPass?: boolean };
const KEYS: ShapesOf<CompositeOptions> = { checkers: listOf(having("check")), allMustPass: optional(flag) };

/**
 * Several checkers as one, asked in order and no further than needed: all must pass and the first failure is the answer, or
 * one must pass and the first success is. A member that throws is a failure of that member only. None at all is complete.
 */
export class CompositeChecker implements CompletionChecker {
  readonly #checkers: readonly CompletionChecker[];
  readonly #allMustPass: boolean;

  constructor(options: CompositeOptions) {
    checkOptions("CompositeChecker", options, KEYS);
    this.#checkers = options.checkers;
    this.#allMustPass = options.allMustPass ?? true;
  }

  async check(context: CompletionContext): Promise<CompletionResult> {
    const failures: string[] = [];
    for (const checker of this.#checkers) {
      const result = await runChecker(checker, context);
      if (result.complete !== this.#allMustPass) return result;
      if (!result.complete && result.feedback !== undefined) failures.push(result.feedback);
    }
    if (this.#allMustPass || this.#checkers.length === 0) return ok();
    return failures.length === 0 ? incomplete() : incomplete(failures.join("\n"));
  }
}
