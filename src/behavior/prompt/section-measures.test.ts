import { expect, it } from "vitest";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import { characterCounter, loadTokenizer } from "../results/token-counter.ts";
import { buildAgentPrompt } from "./build-agent-prompt.ts";
import { testContext } from "./builtin/test/test-context.ts";
import { PromptContributorRegistry } from "./contributor-registry.ts";
import { SectionMeasures } from "./section-measures.ts";

const o200k = await loadTokenizer();

function build(contents: readonly string[], counter: TokenCounter, measures?: SectionMeasures) {
  const registry = new PromptContributorRegistry();
  contents.forEach((content, i) => {
    registry.register({ id: `c${i}`, contribute: () => ({ content, maxTokens: 60 }) }, "plugin");
  });
  return buildAgentPrompt(registry, testContext(), { counter, measures });
}

it("PB-6 an unchanged section is not counted again, and each token counter has its own cache", () => {
  const counted: string[] = [];
  const watched: TokenCounter = {
    ...o200k,
    count: (text) => {
      counted.push(text);
      return o200k.count(text);
    },
  };
  const measures = new SectionMeasures();
  const first = build(["same", "one"], watched, measures);
  const second = build(["same", "two"], watched, measures);
  expect(counted).toEqual(["same\n\n", "one\n\n", "two\n\n"]);
  expect(second.sections[0]).toEqual(first.sections[0]);
  expect(build(["same"], characterCounter, measures).tokens).toBe(characterCounter.count("same\n\n"));
});

it("PB-7 the prompt is the same with and without the cache", () => {
  const measures = new SectionMeasures();
  const contents = ["# A\nx", "x ".repeat(400), "```\nopen"];
  const fresh = build(contents, o200k);
  expect(build(contents, o200k, measures)).toEqual(fresh);
  expect(build(contents, o200k, measures)).toEqual(fresh);
});
