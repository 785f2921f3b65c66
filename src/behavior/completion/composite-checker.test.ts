import { describe, expect, it } from "vitest";
import type { CompletionChecker, CompletionResult } from "../../base/words/hosting/completion.ts";
import { CompositeChecker } from "./completion-checkers.ts";
import { incomplete, ok } from "./decide-stop.ts";
import { testContext } from "./test/test-context.ts";

/** `+` passes, `-` fails without a text, `!` throws, anything else fails with that text. Tells which were asked. */
function checkers(words: readonly string[]) {
  const asked: string[] = [];
  const list = words.map((word): CompletionChecker => {
    const check = (): CompletionResult => {
      asked.push(word);
      if (word === "!") throw new Error("boom");
      if (word === "+") return ok("fine");
      return incomplete(word === "-" ? undefined : word);
    };
    return { check };
  });
  return { asked, list };
}

const boom = "Completion could not be verified, so the work counts as not done: the check failed: boom.";

describe("CompositeChecker", () => {
  it.each([
    { words: [], all: true, result: ok(), asks: 0 },
    { words: [], all: false, result: ok(), asks: 0 },
    { words: ["+", "+"], all: true, result: ok(), asks: 2 },
    { words: ["+", "a", "b"], all: true, result: incomplete("a"), asks: 2 },
    { words: ["!", "+"], all: true, result: incomplete(boom), asks: 1 },
    { words: ["a", "+", "b"], all: false, result: ok("fine"), asks: 2 },
    { words: ["!", "+"], all: false, result: ok("fine"), asks: 2 },
    { words: ["a", "-", "b"], all: false, result: incomplete("a\nb"), asks: 3 },
    { words: ["-", "-"], all: false, result: incomplete(), asks: 2 },
  ])("TC-10 a composite of $words with allMustPass $all runs $asks checkers", async ({ words, all, result, asks }) => {
    const { asked, list } = checkers(words);
    expect(await new CompositeChecker({ checkers: list, allMustPass: all }).check(testContext())).toEqual(result);
    expect(asked).toEqual(words.slice(0, asks));
  });

  it("TC-11 by default all checkers of a composite must pass, and composites nest", async () => {
    const any = new CompositeChecker({ checkers: checkers(["a", "+"]).list, allMustPass: false });
    const nested = new CompositeChecker({ checkers: [any, ...checkers(["b", "+"]).list] });
    expect(await nested.check(testContext())).toEqual(incomplete("b"));
  });
});
