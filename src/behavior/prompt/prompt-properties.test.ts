import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../base/kernel/canonical-json.ts";
import type {
  ContributorSource,
  ContributorTag,
  PromptContributor,
  PromptSection,
  PromptZone,
} from "../../base/words/prompt.ts";
import { loadTokenizer } from "../results/token-counter.ts";
import { type BuildOptions, buildAgentPrompt } from "./build-agent-prompt.ts";
import { testContext } from "./builtin/test/test-context.ts";
import { PromptContributorRegistry } from "./contributor-registry.ts";
import { SectionMeasures } from "./section-measures.ts";

const counter = await loadTokenizer();
const measures = new SectionMeasures();
const context = testContext({
  classification: { label: "x", topic: "coding", complexity: "hard", domain: ["web"], flags: [] },
});

type Given = {
  readonly tags: readonly ContributorTag[];
  readonly priority: number | undefined;
  readonly zone: PromptZone | undefined;
  readonly source: ContributorSource;
  readonly section: PromptSection;
};

const line = fc.oneof(
  fc.constantFrom(
    "# Soul",
    "## Identity",
    "##Soul",
    "###",
    "Soul",
    "===",
    "---",
    "-",
    "",
    "  ",
    "text",
    "- item",
    "> ## q",
  ),
  fc.constantFrom(
    "```",
    "~~~",
    "````md",
    "   ```",
    "``` `",
    "<feedback>",
    "</user_instructions>",
    "1. x",
    "\u2028## y",
  ),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const content = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
const limit = fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined });
const section = fc
  .record({
    heading: fc.option(fc.oneof(line, fc.constant("A\n## B")), { nil: undefined }),
    content,
    maxChars: limit,
    maxTokens: limit,
  })
  .map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as PromptSection);
const tag: fc.Arbitrary<ContributorTag> = fc.record({
  dimension: fc.constantFrom("topic", "domain", "channel"),
  value: fc.constantFrom("coding", "web", "cli", "*", "none"),
});
const given: fc.Arbitrary<readonly Given[]> = fc.array(
  fc.record({
    tags: fc.array(tag, { maxLength: 3 }),
    priority: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    zone: fc.option(fc.constantFrom("static", "session", "turn"), { nil: undefined }),
    source: fc.constantFrom("agent", "config", "plugin", "workspace"),
    section,
  }),
  { maxLength: 8 },
);
const options: fc.Arbitrary<Partial<BuildOptions>> = fc.record(
  { layout: fc.constantFrom("cache", "priority"), budget: fc.integer({ min: 1, max: 400 }) },
  { requiredKeys: [] },
);

function contributorOf({ tags, priority, zone, section: said }: Given, i: number): PromptContributor {
  return {
    id: `c${i}`,
    tags,
    priority,
    zone,
    contribute: () => said,
  };
}

function build(
  contributors: readonly (readonly [PromptContributor, ContributorSource])[],
  over: Partial<BuildOptions> = {},
) {
  const registry = new PromptContributorRegistry();
  for (const [contributor, source] of contributors) registry.register(contributor, source);
  return buildAgentPrompt(registry, context, { counter, measures, ...over });
}

function all(list: readonly Given[]) {
  return list.map((one, i) => [contributorOf(one, i), one.source] as const);
}

/** Text after `## ` of the lines that are headings of level 1 or 2 to a plain reader. */
function topHeadings(text: string): readonly string[] {
  const found: string[] = [];
  let fence: string | undefined;
  for (const one of text.split("\n")) {
    const [, marks, rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(one) ?? [];
    if (marks !== undefined && fence === undefined && !(marks.startsWith("`") && rest.includes("`"))) fence = marks;
    else if (marks !== undefined && fence !== undefined && marks.startsWith(fence) && rest.trim() === "")
      fence = undefined;
    else if (fence === undefined && /^ {0,3}##?([ \t]|$)/.test(one)) found.push(one.replace(/^ {0,3}#+ ?/, ""));
  }
  return found;
}

describe("any prompt", () => {
  it("G14: the level 1 and 2 headings of a prompt are exactly its section headings for any content", () => {
    fc.assert(
      fc.property(given, options, (list, over) => {
        const { text, sections } = build(all(list), over);
        expect(topHeadings(text)).toEqual(sections.flatMap(({ heading }) => (heading === undefined ? [] : [heading])));
        expect(text).not.toMatch(/<\s*\/?\s*(feedback|user_instructions)\b/);
      }),
    );
  });

  it("G12: equal input gives an identical prompt for any order of contributors and tags", () => {
    const shuffled = given.chain((list) =>
      fc.record({ list: fc.constant(list), order: fc.shuffledSubarray(all(list), { minLength: list.length }) }),
    );
    fc.assert(
      fc.property(shuffled, options, ({ list, order }, over) => {
        const turned = order.map(
          ([one, source]) => [{ ...one, tags: [...(one.tags ?? [])].reverse() }, source] as const,
        );
        expect(build(turned, { ...over, measures: new SectionMeasures() })).toEqual(build(all(list), over));
      }),
    );
  });

  it("G18: every line is attributed to its section, and the token counts add up", () => {
    fc.assert(
      fc.property(given, options, (list, over) => {
        const { text, sections, provenance, tokens, prefixTokens, hash, prefixHash } = build(all(list), over);
        const lines = text === "" ? [] : text.split("\n");
        expect(provenance).toHaveLength(lines.length);
        for (const { contributor, lines: at, text: own } of sections) {
          expect(lines.slice(at.from - 1, at.to).join("\n")).toBe(own);
          expect(new Set(provenance.slice(at.from - 1, at.to))).toEqual(new Set([contributor]));
        }
        provenance.forEach((id, at) => {
          if (id === "") expect(lines[at]).toBe("");
        });
        expect(tokens).toBe(sections.reduce((sum, one) => sum + one.tokens, 0));
        expect(hash).toBe(sha256(text).slice(0, 20));
        const turn = sections.findIndex(({ zone }) => zone === "turn");
        const prefix = turn < 0 ? sections : sections.slice(0, turn);
        expect(prefixTokens).toBe(prefix.reduce((sum, one) => sum + one.tokens, 0));
        expect(prefixHash).toBe(sha256(prefix.map((one) => one.text).join("\n\n")).slice(0, 20));
      }),
    );
  });

  it("G19: any prompt is within its budget, and every section is within its limits", () => {
    fc.assert(
      fc.property(given, options, (list, over) => {
        const prompt = build(all(list), over);
        expect(prompt.tokens).toBeLessThanOrEqual(over.budget ?? Number.POSITIVE_INFINITY);
        for (const { contributor, heading, text } of prompt.sections) {
          const { maxChars, maxTokens } = list[Number(contributor.slice(1))]?.section ?? {};
          const shown = heading === undefined ? text : text.slice(`## ${heading}\n\n`.length);
          expect(shown.length).toBeLessThanOrEqual(maxChars ?? Number.POSITIVE_INFINITY);
          expect(counter.count(shown)).toBeLessThanOrEqual(maxTokens ?? Number.POSITIVE_INFINITY);
        }
        for (const { kept, of } of prompt.cuts) expect(kept).toBeLessThan(of);
      }),
    );
  });

  it("G10: a failing contributor does not change the output of the others", () => {
    const failures: readonly (() => unknown)[] = [
      () => {
        throw new Error("x");
      },
      () => null,
      () => ({ content: 1 }),
      () => Promise.reject(new Error("late")),
    ];
    fc.assert(
      fc.property(given, fc.constantFrom(...failures), fc.integer({ min: 0, max: 3 }), (list, fail, priority) => {
        const broken = { id: "broken", priority, contribute: fail as PromptContributor["contribute"] };
        const { trace, ...without } = build(all(list));
        const { trace: told, ...withIt } = build([...all(list), [broken, "plugin"]]);
        expect(withIt).toEqual(without);
        expect(told.filter(({ contributor }) => contributor !== "broken")).toEqual(trace);
        expect(told).toContainEqual(expect.objectContaining({ contributor: "broken", reason: "failed" }));
      }),
    );
  });
});
